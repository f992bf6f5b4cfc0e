// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// batch_norm(x, g, b, m, v) => add(mul(x, s), t) with s = g / sqrt(v + epsilon), t = b - m * s, of shape
/// [C,1,...], computed in double.
///
/// Requires: parameters are constants, s and t in the range of the element type; else the node stays.
/// Ensures:  no other batch_norm is left.
/// Position: before the contraction folds, which take the scale and the shift.
Result<bool> decompose_batch_norm(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
