// SPDX-License-Identifier: Apache-2.0
// Makes the CODE section of a plan callable.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/kernel_abi.h"

namespace tenon::runtime {

/// Executable memory; never writable and executable at once. Movable.
class LoadedCode {
 public:
  LoadedCode() = default;
  LoadedCode(LoadedCode&& other) noexcept;
  LoadedCode& operator=(LoadedCode&& other) noexcept;
  ~LoadedCode();

  static Result<LoadedCode> load(std::span<const std::byte> code);

  /// The kernel at this offset, which plan/verify has checked.
  KernelFunction kernel(uint64_t entry) const;

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tenon::runtime
