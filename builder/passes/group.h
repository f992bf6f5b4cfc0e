// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/graph.h"

#include <vector>

namespace tenon::passes {

/// Moves `nodes` (of one region, in their order there) into a new group in front of `position`. Values that
/// they take from outside become inputs, constants too; values that others use become outputs, with
/// their names. Groups among the nodes are dissolved into the new one.
ir::Node* make_group(const std::vector<ir::Node*>& nodes, ir::Node* position);

/// "conv+relu": the operators of a node or group that are no constants, in order.
std::string operators_of(const ir::Node& node);

}  // namespace tenon::passes
