// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/fuse_groups.h"

#include "builder/ops/op.h"
#include "builder/passes/access_count.h"
#include "builder/passes/group.h"

#include <algorithm>
#include <map>
#include <set>

namespace tenon::passes {
namespace {

/// Groups stop growing here: compile time and register pressure grow faster than the gain.
constexpr size_t kMaximumNodes = 24;
constexpr int kMaximumInputs = 64;

const ops::OpDefinition* definition_of(const ir::Node& node) { return ops::find(node.op()); }

bool is_kind(const ir::Node& node, ops::Kind kind) {
  const ops::OpDefinition* definition = definition_of(node);
  return definition && definition->kind == kind;
}

/// Kinds that a general kernel computes.
bool is_fusable(const ir::Node& node) {
  return node.output_count() == 1 &&
         (is_kind(node, ops::Kind::elementwise) || is_kind(node, ops::Kind::movement) ||
          is_kind(node, ops::Kind::reduction));
}

ir::Dim elements_of(const ir::Value* value) { return ir::element_count(value->type.shape); }

/// Whether computing `producer` where `use` reads it computes each of its elements at most once. A
/// broadcast would repeat it; so would windows that overlap, or a second pass over a row.
bool joins_without_repeating(const ir::Node& producer, const ir::Use& use) {
  // Loads of a movement are cheap to repeat; arithmetic is not.
  if (is_kind(producer, ops::Kind::movement) && is_kind(*use.node, ops::Kind::movement))
    return true;
  const ir::Dim unused = elements_of(producer.output()) - loads_of(*use.node, use.index);
  return unused.is_constant() && unused.constant() >= 0;
}

/// Values that `root` reads through members, and that only members use, join one after the other.
std::vector<ir::Node*> collect(ir::Node* root, const std::set<const ir::Node*>& taken) {
  std::vector<ir::Node*> members = {root};
  std::set<const ir::Node*> inside = {root};
  // Members computed at the very points of the root. Behind the index map of a movement a reduction
  // would be computed at scattered points, some of which a select throws away because they are out
  // of range.
  std::set<const ir::Node*> pointwise;
  if (is_kind(*root, ops::Kind::elementwise)) pointwise.insert(root);
  int reductions = is_kind(*root, ops::Kind::reduction) ? 1 : 0;
  int inputs = root->input_count();
  for (size_t next = 0; next < members.size() && members.size() < kMaximumNodes; ++next) {
    for (int i = 0; i < members[next]->input_count(); ++i) {
      ir::Value* input = members[next]->input(i);
      ir::Node* producer = input ? input->producer() : nullptr;
      if (!producer || inside.count(producer) || taken.count(producer) || !is_fusable(*producer))
        continue;
      const auto every_use = [&](const auto& predicate) {
        return std::all_of(input->uses().begin(), input->uses().end(), predicate);
      };
      const bool joins = every_use([&](const ir::Use& use) {
        return inside.count(use.node) > 0 && joins_without_repeating(*producer, use);
      });
      if (!joins) continue;
      const bool at_points =
          every_use([&](const ir::Use& use) { return pointwise.count(use.node) > 0; });
      // One reduction for each kernel: two with different axes would share only a part of their
      // grid.
      const bool reduces = is_kind(*producer, ops::Kind::reduction);
      if (reduces && (reductions > 0 || !at_points)) continue;
      reductions += reduces ? 1 : 0;
      if (inputs + producer->input_count() > kMaximumInputs) continue;
      inputs += producer->input_count();
      members.push_back(producer);
      inside.insert(producer);
      if (at_points && is_kind(*producer, ops::Kind::elementwise)) pointwise.insert(producer);
    }
  }
  return members;
}

/// A reshape moves no bytes. Behind the last operator of a kernel it costs nothing as it is.
bool is_view(const ir::Node& node) { return definition_of(node)->is_view; }

/// A view needs natural layout, which windows that slide over space read slowly. Where a movement
/// writes what such a view shows them, both are one kernel, free to write channels innermost.
bool joins_movement(const ir::Node& view) {
  const ir::Node* movement = view.input(0) ? view.input(0)->producer() : nullptr;
  if (!movement || !is_kind(*movement, ops::Kind::movement) || is_view(*movement)) return false;
  const auto& uses = view.output()->uses();
  return std::any_of(uses.begin(), uses.end(), [](const ir::Use& use) {
    const ops::OpDefinition* definition = definition_of(*use.node);
    return definition && definition->is_spatial;
  });
}

}  // namespace

Result<bool> fuse_groups(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  std::set<const ir::Node*> taken;
  const std::vector<ir::Node*> nodes = graph.body().node_list();
  std::map<const ir::Node*, size_t> position;
  for (const ir::Node* node : nodes) position.emplace(node, position.size());
  std::vector<ir::Node*> order(nodes.rbegin(), nodes.rend());
  for (ir::Node* root : order) {
    if (taken.count(root) || !is_fusable(*root)) continue;
    if (is_view(*root) && !joins_movement(*root)) continue;
    std::vector<ir::Node*> members = collect(root, taken);
    if (members.size() == 1) continue;
    if (!context.allow_rewrite()) return changed;
    taken.insert(members.begin(), members.end());
    std::sort(members.begin(), members.end(), [&](const ir::Node* a, const ir::Node* b) {
      return position.at(a) < position.at(b);
    });
    make_group(members, root);
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
