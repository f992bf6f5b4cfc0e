// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/graph.h"
#include "builder/loop/kernel.h"

#include <tenon/status.h>

namespace tenon::passes {

/// The kernel of a group (or of one operator node): buffers are its inputs in order (constants
/// marked; left-out inputs have none), then its outputs. Everything between is inlined, but for
/// reductions, which become stages; the grid is the axes of the first output that every reduction
/// is computed at. Requires: node outputs have layouts; constants are inputs of the group or inside
/// it (splats inside are inlined as numbers). Ensures: loop::verify holds.
Result<loop::Kernel> lower_group(const ir::Node& node);

}  // namespace tenon::passes
