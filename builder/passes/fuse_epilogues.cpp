// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/fuse_epilogues.h"

#include "builder/ops/op.h"
#include "builder/passes/group.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tenon::passes {
namespace {

/// Compile time grows faster than the gain of long epilogues.
constexpr size_t kMostMembers = 24;
/// Nodes that are looked at while another value is still read outside.
constexpr size_t kMostOpen = 4;

bool has_kind(const ir::Node& node, ops::Kind kind) {
  const ops::OpDefinition* definition = ops::find(node.op());
  return definition && definition->kind == kind;
}

using Positions = std::map<const ir::Node*, int>;

/// The first of the elementwise nodes that read a member and compute a tensor of its shape, or
/// null.
ir::Node* next_member(const std::vector<ir::Node*>& members, const Positions& positions) {
  const ir::Shape& shape = members.front()->output()->type.shape;
  ir::Node* next = nullptr;
  for (const ir::Node* member : members) {
    for (const ir::Use& use : member->output()->uses()) {
      if (std::find(members.begin(), members.end(), use.node) != members.end()) continue;
      if (!has_kind(*use.node, ops::Kind::elementwise) || use.node->output_count() != 1) continue;
      if (use.node->output()->type.shape != shape) continue;
      if (!next || positions.at(use.node) < positions.at(next)) next = use.node;
    }
  }
  return next;
}

/// Whether nothing outside reads a member but the last.
bool is_closed(const std::vector<ir::Node*>& members) {
  return std::all_of(members.begin(), members.end() - 1, [&](const ir::Node* member) {
    const std::vector<ir::Use>& uses = member->output()->uses();
    return std::all_of(uses.begin(), uses.end(), [&](const ir::Use& use) {
      return std::find(members.begin(), members.end(), use.node) != members.end();
    });
  });
}

/// The contraction and as many nodes behind it as leave one value to write. A few may stay open on
/// the way: x * sigmoid(x) reads the contraction twice before it closes.
std::vector<ir::Node*> collect(ir::Node* contraction, const Positions& positions) {
  std::vector<ir::Node*> members = {contraction};
  size_t closed = 1;
  while (members.size() < kMostMembers && members.size() - closed <= kMostOpen) {
    ir::Node* next = next_member(members, positions);
    if (!next) break;
    members.push_back(next);
    if (is_closed(members)) closed = members.size();
  }
  members.resize(closed);
  return members;
}

}  // namespace

Result<bool> fuse_epilogues(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  // A chain takes elementwise nodes with it, never another contraction.
  std::vector<ir::Node*> contractions = graph.body().node_list();
  Positions positions;
  for (const ir::Node* node : contractions)
    positions.emplace(node, static_cast<int>(positions.size()));
  std::erase_if(contractions, [](const ir::Node* node) {
    return !has_kind(*node, ops::Kind::contraction) || node->output_count() != 1;
  });
  for (ir::Node* node : contractions) {
    // Two contractions that meet in one sum: the first takes it and reads the other one's result.
    const std::vector<ir::Node*> members = collect(node, positions);
    if (members.size() == 1) continue;
    if (!context.allow_rewrite()) return changed;
    // At the last member's place all operands exist, and nobody needs the earlier members before
    // it.
    make_group(members, members.back());
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
