// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/storage.h"

#include "builder/ops/op.h"

#include <algorithm>

namespace tenon::emit {

const ir::Value* storage_of(const ir::Value* value) {
  while (const ir::Node* producer = value->producer()) {
    const ops::OpDefinition* definition = ops::find(producer->op());
    if (!definition || !definition->is_view) break;
    value = producer->input(0);
  }
  return value;
}

std::vector<bool> outputs_written_in_place(const ir::Graph& graph) {
  std::vector<bool> in_place;
  std::set<const ir::Value*> seen;
  for (const ir::Value* result : graph.body().results()) {
    const ir::Value* storage = storage_of(result);
    const bool computed = !storage->is_parameter() && !storage->producer()->is_constant();
    in_place.push_back(computed && seen.insert(storage).second);
  }
  return in_place;
}

std::map<const ir::Value*, Lifetime> arena_lifetimes(const StepList& steps, const ir::Graph& graph) {
  std::set<const ir::Value*> outside;
  const std::vector<bool> in_place = outputs_written_in_place(graph);
  for (size_t i = 0; i < in_place.size(); ++i) {
    if (in_place[i]) outside.insert(storage_of(graph.body().results()[i]));
  }
  std::map<const ir::Value*, Lifetime> lifetimes;
  const int step_count = static_cast<int>(steps.steps.size());
  for (int step = 0; step < step_count; ++step) {
    for (const ir::Value* argument : steps.steps[step].arguments) {
      const ir::Value* storage = storage_of(argument);
      if (storage->is_parameter() || storage->producer()->is_constant() || outside.count(storage)) {
        continue;
      }
      const auto [found, is_new] = lifetimes.emplace(storage, Lifetime{step, step});
      found->second.last = step;
    }
  }
  return lifetimes;
}

}  // namespace tenon::emit
