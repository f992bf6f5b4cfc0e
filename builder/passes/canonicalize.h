// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// Brings graphs that mean the same into one form:
///   identity(x), convert of equal type, transpose by the identity, reshape to the same shape => x
///   squeeze, unsqueeze, flatten => reshape            transpose(transpose(x)) => transpose(x)
///   reshape(reshape(x)) => reshape(x)                 add(c, x), mul(c, x) => add(x, c), mul(x, c)
///
/// Requires: a verified graph.
/// Ensures:  one form of movement, for the patterns of every later pass.
/// Position: first: all patterns below match canonical forms only.
Result<bool> canonicalize(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
