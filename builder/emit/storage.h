// SPDX-License-Identifier: Apache-2.0
// Which values share memory, and of which kind it is.
#pragma once

#include "builder/emit/step.h"
#include "builder/ir/graph.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace tenon::emit {

/// The value whose memory this one is: itself, or what a chain of views starts from.
const ir::Value* storage_of(const ir::Value* value);

/// For each result of the body: whether the step that computes it writes straight into the caller's
/// buffer. Otherwise (an input, a constant, or the same tensor as another output) it is copied.
std::vector<bool> outputs_written_in_place(const ir::Graph& graph);

/// First and last step that use each arena storage, in the order of the steps. `copied`: results that a
/// copy behind the last step reads.
struct Lifetime {
  int first = 0, last = 0;
};
std::map<const ir::Value*, Lifetime> arena_lifetimes(const StepList& steps, const ir::Graph& graph);

}  // namespace tenon::emit
