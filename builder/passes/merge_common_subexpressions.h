// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// Two nodes with the same operator, inputs, attributes and types => one. Constants merge by content.
///
/// Requires: a verified graph.
/// Ensures:  no two equal nodes in one region.
/// Position: after folding, which makes constants equal; before fusion, which looks at the number of uses.
Result<bool> merge_common_subexpressions(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
