// SPDX-License-Identifier: Apache-2.0
// Axes as models give them: negative ones count from the end.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

/// 0 <= axis < rank, or an error that names both.
Result<int> normal_axis(int64_t axis, int rank);
/// Sorted, each once.
Result<std::vector<int64_t>> normal_axes(const std::vector<int64_t>& axes, int rank);

/// A row-major shape seen as [outer, size, inner] around one axis.
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;
};
AxisView around_axis(const std::vector<int64_t>& dims, int axis);

}  // namespace tenon::ops
