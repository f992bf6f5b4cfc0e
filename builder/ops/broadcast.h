// SPDX-License-Identifier: Apache-2.0
// Shapes that are stretched to one another, aligned at the last axis.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

/// Dims must be equal, or one of them 1; symbols count as equal only when they are the same
/// expression.
Result<Shape> broadcast(const Shape& a, const Shape& b);
/// Of all inputs that are there; the error names the operator's inputs.
Result<Shape> broadcast_inputs(const OpView& op);
/// The index into an operand of `shape` at a point of the broadcast shape.
Indices broadcast_indices(const Shape& shape, const Indices& indices);

/// Calls visit(i, offsets) for every point `i` of `dims`, with the offset of each operand there (0
/// for one left out).
void for_each_point(const std::vector<int64_t>& dims, const Operands& operands,
                    const std::function<void(int64_t, const int64_t*)>& visit);

}  // namespace tenon::ops
