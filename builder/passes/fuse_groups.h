// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// Elementwise, movement and reduction operators => groups, each compiled to one kernel. A producer
/// joins its only consumer when that computes every element of the producer at most once.
///
/// Requires: contractions are in groups or alone.
/// Ensures:  no elementwise chain crosses a step where it need not. A view behind a movement joins
///           its group where windows read it, which may then write channels innermost.
/// Position: after fuse_epilogues; before layouts, which are chosen for the inputs and outputs of
///           groups.
Result<bool> fuse_groups(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
