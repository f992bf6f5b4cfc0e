// SPDX-License-Identifier: Apache-2.0
// Checks what every graph must satisfy between passes, whatever its operators.
#pragma once

#include "builder/ir/graph.h"

#include <tenon/status.h>

namespace tenon::ir {

/// Every value is defined before its uses and inside its region; use lists agree with inputs;
/// layouts fit their ranks; every region ends in `return`; constants have as many bytes as their
/// type says; results of a group's region have the types of its outputs; output names are unique
/// and as many as the results; every symbol in a type has a range in the graph.
Status verify(const Graph& graph);

}  // namespace tenon::ir
