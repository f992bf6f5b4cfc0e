// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// mul(conv(x, w, b), s) => conv(x, w*s, b*s)          s constant, one value per output channel or one
/// mul(gemm(x, w, b), s) => gemm(x, w*s, b*s)          for all; the contraction has no other use
/// mul(add(y, t), s) => add(mul(y, s), t*s)            when y is such a contraction
///
/// Requires: weights and bias are constants.
/// Ensures:  channel scales behind contractions are in their weights.
/// Position: after decompose_batch_norm; before fold_contraction_bias, since a scale also scales the bias.
Result<bool> fold_contraction_scale(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
