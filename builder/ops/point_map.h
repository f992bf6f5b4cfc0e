// SPDX-License-Identifier: Apache-2.0
// The reference of operators that only move elements.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

/// Calls visit(i, position) for every point of `dims` in row-major order.
void for_each_position(const std::vector<int64_t>& dims,
                       const std::function<void(int64_t, const std::vector<int64_t>&)>& visit);
/// Offset of a position in a row-major tensor.
int64_t offset_of(const std::vector<int64_t>& dims, const std::vector<int64_t>& position);
/// y[to] = x[from]
void copy_element(const ReferenceTensor& x, int64_t from, ReferenceTensor& y, int64_t to);
/// y[at] = x[*source(at)] wherever `source` gives a position; elsewhere y stays as it is.
void copy_points(
    const ReferenceTensor& x, ReferenceTensor& y,
    const std::function<const std::vector<int64_t>*(const std::vector<int64_t>&)>& source);

}  // namespace tenon::ops
