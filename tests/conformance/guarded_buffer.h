// SPDX-License-Identifier: Apache-2.0
// A caller's buffer as awkward as the contract allows: aligned to its element only, between
// canaries.
#pragma once

#include <tenon/data_type.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

namespace tenon::conformance {

class GuardedBuffer {
 public:
  GuardedBuffer(DataType type, int64_t size)
      : offset_(kGuard + std::max<int64_t>(1, byte_size(type, 1))), size_(size) {
    const auto total = static_cast<size_t>(offset_ + size_ + kGuard);
    memory_ = std::shared_ptr<std::byte>(
        static_cast<std::byte*>(std::aligned_alloc(64, (total + 63) / 64 * 64)), std::free);
    std::fill_n(memory_.get(), total, kCanary);
  }
  GuardedBuffer(DataType type, std::span<const std::byte> content)
      : GuardedBuffer(type, static_cast<int64_t>(content.size())) {
    std::copy(content.begin(), content.end(), data());
  }

  std::byte* data() const { return memory_.get() + offset_; }
  size_t size() const { return static_cast<size_t>(size_); }
  std::span<const std::byte> bytes() const { return {data(), size()}; }

  /// Whether nothing was written before and after it.
  bool is_intact() const {
    const auto untouched = [](std::byte byte) { return byte == kCanary; };
    return std::all_of(memory_.get(), data(), untouched) &&
           std::all_of(data() + size_, data() + size_ + kGuard, untouched);
  }

 private:
  static constexpr int64_t kGuard = 128;
  static constexpr std::byte kCanary{0x5a};
  int64_t offset_, size_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace tenon::conformance
