// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tenon {
namespace {

Status failed(const std::string& path, const char* what) {
  return {ErrorCode::io, path + ": cannot " + what + ": " + std::strerror(errno)};
}

}  // namespace

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (size_ != 0) munmap(const_cast<std::byte*>(data_), size_);
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed(path, "open");
  struct stat info;
  MappedFile mapped;
  Status status;
  if (fstat(file, &info) != 0) {
    status = failed(path, "read");
  } else if (!S_ISREG(info.st_mode)) {
    status = Status(ErrorCode::io, path + (S_ISDIR(info.st_mode) ? ": is a directory"
                                                                 : ": is not a regular file"));
  } else if (info.st_size > 0) {
    const size_t size = static_cast<size_t>(info.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
      status = failed(path, "map");
    } else {
      mapped.data_ = static_cast<const std::byte*>(data);
      mapped.size_ = size;
    }
  }
  close(file);
  if (!status.ok()) return status;
  return mapped;
}

Result<MappedFile> MappedFile::copy_of(std::span<const std::byte> bytes) {
  MappedFile mapped;
  if (bytes.empty()) return mapped;
  void* data =
      mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return Status(ErrorCode::out_of_memory,
                  "cannot allocate " + std::to_string(bytes.size()) + " bytes for a plan");
  }
  mapped.data_ = static_cast<const std::byte*>(data);
  mapped.size_ = bytes.size();
  std::memcpy(data, bytes.data(), bytes.size());
  mprotect(data, bytes.size(), PROT_READ);
  return mapped;
}

void MappedFile::expect_use(std::span<const std::byte> part) const {
  constexpr uintptr_t kPage = 4096;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(part.data()) & ~(kPage - 1);
  const uintptr_t end = reinterpret_cast<uintptr_t>(part.data()) + part.size();
  if (!part.empty()) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_WILLNEED);
}

}  // namespace tenon
