// SPDX-License-Identifier: Apache-2.0
// Bounds of a slice as models give them, on symbolic dims.
#pragma once

#include "builder/ir/dim.h"

#include <tenon/status.h>

namespace tenon::ops {

struct SliceBounds {
  ir::Dim start, size;
};

/// Clamps `start` and `end` to the dim; negative numbers count from the end.
Result<SliceBounds> slice_bounds(const ir::Dim& dim, const ir::Dim& start, const ir::Dim& end,
                                 int64_t step);
/// The number that `start` (a number, or an expression of the symbol that `dim` is) has when `dim`
/// is `size`.
Result<int64_t> concrete_start(const ir::Dim& dim, int64_t size, const ir::Dim& start);

}  // namespace tenon::ops
