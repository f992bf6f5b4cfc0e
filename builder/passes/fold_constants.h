// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// op(constants) => constant, by the operator's reference; the elements of a shape computation that are
/// known => constant.
///
/// Requires: a verified graph.
/// Ensures:  no operator with constant inputs only is left, but for results much larger than their inputs.
/// Position: after canonicalize, which exposes shapes; before the rewrites, which want weights as constants.
Result<bool> fold_constants(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
