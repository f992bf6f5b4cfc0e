// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/graph.h"

#include <cstdint>

namespace tenon::memory {

/// Bytes that any placement needs when every node of the body is a step, in the graph's order, at the
/// maximum of every symbol: what fusion and reordering are compared with. Views share the memory of what
/// they view; inputs, outputs and constants of the graph take none.
int64_t graph_lower_bound(const ir::Graph& graph);

}  // namespace tenon::memory
