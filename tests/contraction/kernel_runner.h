// SPDX-License-Identifier: Apache-2.0
// Runs generated code on buffers that end at unmapped pages.
#pragma once

#include "builder/codegen/cpu/generate.h"
#include "builder/loop/kernel.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon::test {

using Symbols = std::map<std::string, int64_t>;

int64_t evaluate(const ir::Dim& dim, const Symbols& symbols);

/// Bytes that end where readable memory ends, so that any access past them faults.
class GuardedBytes {
 public:
  explicit GuardedBytes(size_t size);
  ~GuardedBytes();
  GuardedBytes(GuardedBytes&& other) noexcept;
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  GuardedBytes& operator=(GuardedBytes&&) = delete;
  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* mapping_ = nullptr;
  size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// Bytes of a tensor in natural order, moved to where its layout wants them; padding is zero.
std::vector<std::byte> to_layout(const ir::TensorType& type, const Symbols& symbols,
                                 std::span<const std::byte> natural);

/// Code mapped read and execute.
class LoadedKernel {
 public:
  LoadedKernel(codegen::GeneratedKernel generated, const Symbols& symbols);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  int64_t grid() const { return grid_; }
  const codegen::GeneratedKernel& generated() const { return generated_; }
  /// Runs items [begin, end); gives the kernel's result.
  int32_t run(std::span<const std::span<std::byte>> buffers, int64_t begin, int64_t end) const;
  int32_t run(std::span<const std::span<std::byte>> buffers) const {
    return run(buffers, 0, grid_);
  }

 private:
  codegen::GeneratedKernel generated_;
  std::vector<int64_t> dims_;
  int64_t grid_ = 0, scratch_bytes_ = 0;
  void* mapping_ = nullptr;
  size_t mapped_ = 0;
};

}  // namespace tenon::test
