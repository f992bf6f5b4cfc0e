// SPDX-License-Identifier: Apache-2.0
// The memory of a context: intermediate buffers and scratch.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/arena_mode.h"
#include "runtime/plan/meta_generated.h"

namespace tenon::runtime {

/// Memory from the system: page-aligned, zero, returned at the end. Movable.
class SystemMemory {
 public:
  SystemMemory() = default;
  SystemMemory(SystemMemory&& other) noexcept;
  SystemMemory& operator=(SystemMemory&& other) noexcept;
  ~SystemMemory();

  static Result<SystemMemory> allocate(uint64_t bytes, const char* purpose);
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

class Arena {
 public:
  /// Allocates what the profile's maximum needs, unless `supplied` is given, which must be that
  /// long and 64-byte aligned.
  static Result<Arena> create(const plan::ProgramT& program, std::span<std::byte> supplied);

  /// Sets the address of every arena buffer for these buffer sizes; other addresses stay.
  Status place(std::span<const int64_t> bytes, std::span<std::byte*> addresses);

  /// To be called around the steps of a run; free in normal mode. finish_step names a buffer that
  /// the step wrote beside.
  void begin_run() {
    if (mode_ == ArenaMode::poison) poison_all();
  }
  Status finish_step(size_t step) {
    return mode_ == ArenaMode::normal ? Status() : check_step(step);
  }

 private:
  struct Guarded {
    SystemMemory memory;
    std::span<std::byte> before, after;  // canaries
  };

  Status place_guarded(std::span<const int64_t> bytes, std::span<std::byte*> addresses);
  void poison_all();
  Status check_step(size_t step);

  const plan::ProgramT* program_ = nullptr;
  ArenaMode mode_ = ArenaMode::normal;
  SystemMemory owned_;
  std::span<std::byte> memory_;
  std::vector<uint64_t> ends_;                // of each buffer, rounded up to 64
  std::vector<std::span<std::byte>> placed_;  // each arena buffer's bytes
  std::vector<Guarded> guarded_;              // guard mode
  std::vector<std::vector<uint32_t>> dying_;  // poison mode: buffers last used by each step
};

}  // namespace tenon::runtime
