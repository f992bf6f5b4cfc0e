// SPDX-License-Identifier: Apache-2.0
// Where intermediate tensors lie in the arena.
#pragma once

#include "builder/ir/dim.h"

#include <tenon/status.h>

#include <cstdint>
#include <vector>

namespace tenon::memory {

/// Buffers start at multiples of this, so that vector loads are aligned.
inline constexpr int64_t kAlignment = 64;

/// A buffer that must keep its bytes from `first_step` to `last_step`, both included.
struct ArenaBuffer {
  ir::Dim bytes;
  int64_t maximum_bytes = 0;  ///< at the profile's maximum
  int first_step = 0;
  int last_step = 0;
};

struct Placement {
  int64_t offset = 0;  ///< at the profile's maximum
  /// Buffers that overlap in time and lie underneath. For other shapes the offset is the largest
  /// rounded end of these, which is never more than `offset`, because no size is larger than at the
  /// maximum.
  std::vector<int> below;
};

struct ArenaPlan {
  std::vector<Placement> placements;  ///< one for each buffer
  int64_t bytes = 0;
  int64_t lower_bound = 0;  ///< the largest sum of sizes alive at one step
};

/// Best fit over lifetimes: each buffer goes into the smallest gap between the placed buffers that
/// live at the same time, or on top of them. Several orders are tried, and the lowest result is
/// kept.
ArenaPlan plan_arena(const std::vector<ArenaBuffer>& buffers);

/// Largest sum of the rounded sizes that are alive at one step.
int64_t arena_lower_bound(const std::vector<ArenaBuffer>& buffers);

}  // namespace tenon::memory
