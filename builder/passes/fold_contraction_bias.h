// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// add(conv(x, w, b), t) => conv(x, w, b+t)            t constant, one value per output channel or one for
/// add(gemm(x, w, b), t) => gemm(x, w, b+t)            all; the contraction has no other use
///
/// Requires: bias is absent or constant.
/// Ensures:  channel shifts behind contractions are in their bias.
/// Position: after fold_contraction_scale.
Result<bool> fold_contraction_bias(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
