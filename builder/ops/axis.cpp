// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"

#include "builder/ops/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {

Result<int> normal_axis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return invalid(fmt::format("axis {} is outside of rank {}", axis, rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<int64_t>> normal_axes(const std::vector<int64_t>& axes, int rank) {
  std::vector<int64_t> result;
  for (const int64_t axis : axes) {
    TENON_ASSIGN(const int normal, normal_axis(axis, rank));
    if (std::find(result.begin(), result.end(), normal) != result.end()) {
      return invalid(fmt::format("axis {} is given twice", axis));
    }
    result.push_back(normal);
  }
  std::sort(result.begin(), result.end());
  return result;
}

AxisView around_axis(const std::vector<int64_t>& dims, int axis) {
  AxisView result;
  for (int i = 0; i < static_cast<int>(dims.size()); ++i) {
    if (i < axis)
      result.outer *= dims[i];
    else if (i == axis)
      result.size = dims[i];
    else
      result.inner *= dims[i];
  }
  return result;
}

}  // namespace tenon::ops
