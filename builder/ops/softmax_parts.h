// SPDX-License-Identifier: Apache-2.0
// What softmax and its logarithm share.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

/// Inputs, axis, inference and examples.
void define_softmax(OpDefinition& op);
/// Before opset 13 all axes from `axis` (1 unless given) on are one: a reshape to a matrix and
/// back.
Import import_softmax(std::string op);

/// x - max and the sum of exp(x - max) at a point.
struct SoftmaxParts {
  ExprPointer shifted, sum;
};
SoftmaxParts softmax_parts(const OpView& op, Lowering& lowering, const Indices& at);

/// Calls row(x, y, count, stride) for every line along the axis.
Status for_each_row(const OpView& op, const Operands& in, const Results& out,
                    const std::function<void(const double*, double*, int64_t, int64_t)>& row);

}  // namespace tenon::ops
