// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/point_map.h"

namespace tenon::ops {

void for_each_position(const std::vector<int64_t>& dims,
                       const std::function<void(int64_t, const std::vector<int64_t>&)>& visit) {
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  std::vector<int64_t> position(dims.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(i, position);
    for (size_t axis = dims.size(); axis-- > 0;) {
      if (++position[axis] < dims[axis]) break;
      position[axis] = 0;
    }
  }
}

int64_t offset_of(const std::vector<int64_t>& dims, const std::vector<int64_t>& position) {
  int64_t offset = 0;
  for (size_t i = 0; i < dims.size(); ++i) offset = offset * dims[i] + position[i];
  return offset;
}

void copy_element(const ReferenceTensor& x, int64_t from, ReferenceTensor& y, int64_t to) {
  if (is_float(x.type))
    y.reals[to] = x.reals[from];
  else
    y.integers[to] = x.integers[from];
}

void copy_points(
    const ReferenceTensor& x, ReferenceTensor& y,
    const std::function<const std::vector<int64_t>*(const std::vector<int64_t>&)>& source) {
  for_each_position(y.dims, [&](int64_t i, const std::vector<int64_t>& at) {
    if (const auto* position = source(at)) copy_element(x, offset_of(x.dims, *position), y, i);
  });
}

}  // namespace tenon::ops
