// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/graph.h"

#include <tenon/status.h>

#include <string>
#include <vector>

namespace tenon::passes {

/// Adds a node of operator `op` before `before`, with the output types that its inference gives.
Result<ir::Node*> make_node(const std::string& op, const std::vector<ir::Value*>& inputs,
                            Attributes attributes, ir::Node* before,
                            const std::vector<std::string>& origins);

/// Adds the origins of `from` to those of `to`, each once, in order.
void add_origins(std::vector<std::string>& to, const std::vector<std::string>& from);

}  // namespace tenon::passes
