// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// Gives every value between steps its layout: channels innermost around spatial contractions and windows,
/// natural elsewhere; inserts convert_layout where a step needs another one than its producer wrote.
/// Inside a group values have no memory, so no layout.
///
/// Requires: groups are final.
/// Ensures:  inputs and outputs of the graph are natural; views are natural on both sides.
/// Position: last: all later stages read layouts.
Result<bool> choose_layouts(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
