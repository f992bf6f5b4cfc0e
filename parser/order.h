// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parser/flatten.h"
#include "parser/problems.h"

#include <set>
#include <string>
#include <vector>

namespace tenon::parser {

/// Puts the nodes into an order where every value is computed before its use: the file's order
/// wherever that is one already. `defined` are the inputs and initialisers. Nodes that read what
/// nothing produces, define a name again or stand in a cycle become problems, and what they compute
/// failed values.
std::vector<FlatNode> sort_nodes(std::vector<FlatNode> nodes, const std::set<std::string>& defined,
                                 Problems& problems, FailedValues& failed);

}  // namespace tenon::parser
