// SPDX-License-Identifier: Apache-2.0
// What this machine can do at most, measured: the ceiling of a layer.
#pragma once

#include <cstdint>

namespace tenon::tools {

struct MachinePeak {
  double flops_per_second = 0;         ///< single-precision fused multiply-adds count twice
  double memory_bytes_per_second = 0;  ///< reading from main memory
  double cache_bytes_per_second = 0;   ///< reading 256 KiB per thread, again and again
};

/// Takes a fraction of a second on `threads` threads at once, with the widest vectors of this
/// processor.
MachinePeak measure_peak(uint32_t threads);

}  // namespace tenon::tools
