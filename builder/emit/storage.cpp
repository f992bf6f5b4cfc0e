// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/storage.h"

#include "builder/emit/in_place.h"
#include "builder/ops/op.h"

#include <set>

namespace tenon::emit {
namespace {

std::map<const ir::Value*, Lifetime> lifetimes_apart(const StepList& steps,
                                                     const ir::Graph& graph) {
  std::set<const ir::Value*> outside;
  const std::vector<bool> in_place = outputs_written_in_place(graph);
  for (size_t i = 0; i < in_place.size(); ++i) {
    if (in_place[i]) outside.insert(storage_of(graph.body().results()[i]));
  }
  std::map<const ir::Value*, Lifetime> lifetimes;
  for (int step = 0; step < static_cast<int>(steps.steps.size()); ++step) {
    for (const ir::Value* argument : steps.steps[step].arguments) {
      const ir::Value* storage = storage_of(argument);
      if (storage->is_parameter() || storage->producer()->is_constant() || outside.count(storage)) {
        continue;
      }
      lifetimes.emplace(storage, Lifetime{step, step}).first->second.last = step;
    }
  }
  return lifetimes;
}

/// The memory, among what dies at this step, that its argument `output` may take; of several the
/// first that the step reads, whatever their addresses.
const ir::Value* overwritten(const Step& step,
                             const std::map<const ir::Value*, std::set<int>>& dying, int output) {
  const ir::Value* memory = nullptr;
  int first = output;
  for (const auto& [candidate, arguments] : dying) {
    if (*arguments.begin() >= first || !can_overwrite(step.kernel, arguments, output)) continue;
    memory = candidate;
    first = *arguments.begin();
  }
  return memory;
}

}  // namespace

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

const ir::Value* ArenaStorages::memory_of(const ir::Value* storage) const {
  const auto found = overwrites.find(storage);
  return found == overwrites.end() ? storage : found->second;
}

ArenaStorages arena_storages(const StepList& steps, const ir::Graph& graph) {
  ArenaStorages storages;
  storages.lifetimes = lifetimes_apart(steps, graph);
  for (int number = 0; number < static_cast<int>(steps.steps.size()); ++number) {
    const Step& step = steps.steps[number];
    std::map<const ir::Value*, std::set<int>> dying;
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const ir::Value* memory = storages.memory_of(storage_of(step.arguments[i]));
      const auto life = storages.lifetimes.find(memory);
      if (life == storages.lifetimes.end() || life->second.last != number) continue;
      if (!step.kernel.buffers[i].written) dying[memory].insert(static_cast<int>(i));
    }
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const ir::Value* result = storage_of(step.arguments[i]);
      const auto life = storages.lifetimes.find(result);
      if (!step.kernel.buffers[i].written || life == storages.lifetimes.end()) continue;
      const ir::Value* memory = overwritten(step, dying, static_cast<int>(i));
      if (!memory) continue;
      storages.lifetimes.at(memory).last = life->second.last;
      storages.lifetimes.erase(life);
      storages.overwrites[result] = memory;
      dying.erase(memory);
    }
  }
  return storages;
}

}  // namespace tenon::emit
