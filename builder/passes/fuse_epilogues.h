// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// A contraction and the elementwise operators behind it => group, as long as they have the contraction's
/// shape and only the last one's value is read outside; their other operands are loaded at the same point.
///
/// Requires: no groups yet.
/// Ensures:  every contraction with a fusable consumer is in a group.
/// Position: before fuse_groups: an epilogue on registers is the cheapest place for an elementwise operator.
Result<bool> fuse_epilogues(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
