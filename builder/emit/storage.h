// SPDX-License-Identifier: Apache-2.0
// Which values share memory, and of which kind it is.
#pragma once

#include "builder/emit/step.h"
#include "builder/ir/graph.h"

#include <map>
#include <vector>

namespace tenon::emit {

/// The value whose memory this one is by meaning: itself, or what a chain of views starts from.
const ir::Value* storage_of(const ir::Value* value);

/// For each result of the body: whether the step that computes it writes straight into the caller's
/// buffer. Otherwise (an input, a constant, or the same tensor as another output) it is copied.
std::vector<bool> outputs_written_in_place(const ir::Graph& graph);

/// First and last step that use a storage, in the order of the steps.
struct Lifetime {
  int first = 0, last = 0;
};

/// The storages that lie in the arena.
struct ArenaStorages {
  std::map<const ir::Value*, Lifetime> lifetimes;
  /// Storages that a step writes over one that dies there, and the one whose memory that is. Its
  /// lifetime covers both; theirs are gone.
  std::map<const ir::Value*, const ir::Value*> overwrites;
  /// `storage`, or the one that it overwrites.
  const ir::Value* memory_of(const ir::Value* storage) const;
};
ArenaStorages arena_storages(const StepList& steps, const ir::Graph& graph);

}  // namespace tenon::emit
