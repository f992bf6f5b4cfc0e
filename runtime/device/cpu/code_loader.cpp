// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/code_loader.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace tenon::runtime {

LoadedCode::LoadedCode(LoadedCode&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

LoadedCode& LoadedCode::operator=(LoadedCode&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

LoadedCode::~LoadedCode() {
  if (size_ != 0) munmap(data_, size_);
}

Result<LoadedCode> LoadedCode::load(std::span<const std::byte> code) {
  LoadedCode loaded;
  if (code.empty()) return loaded;
  // A copy, so that code never changes under a running kernel when the file does.
  void* memory =
      mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return Status(ErrorCode::out_of_memory,
                  "cannot allocate " + std::to_string(code.size()) + " bytes for code");
  }
  loaded.data_ = static_cast<std::byte*>(memory);
  loaded.size_ = code.size();
  std::memcpy(memory, code.data(), code.size());
  if (mprotect(memory, code.size(), PROT_READ | PROT_EXEC) != 0) {
    return Status(ErrorCode::incompatible,
                  std::string("this system does not let a process make code executable: ") +
                      std::strerror(errno));
  }
  return loaded;
}

KernelFunction LoadedCode::kernel(uint64_t entry) const {
  return reinterpret_cast<KernelFunction>(data_ + entry);
}

}  // namespace tenon::runtime
