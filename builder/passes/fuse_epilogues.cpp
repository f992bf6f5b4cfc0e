// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/fuse_epilogues.h"

#include "builder/ops/op.h"
#include "builder/passes/group.h"

#include <algorithm>

namespace tenon::passes {
namespace {

bool has_kind(const ir::Node& node, ops::Kind kind) {
  const ops::OpDefinition* definition = ops::find(node.op());
  return definition && definition->kind == kind;
}

/// The elementwise node that alone uses `value` and computes a tensor of the same shape, or null.
ir::Node* elementwise_consumer(const ir::Value* value) {
  if (!value->has_one_use()) return nullptr;
  ir::Node* consumer = value->uses()[0].node;
  if (!has_kind(*consumer, ops::Kind::elementwise) || consumer->output_count() != 1) return nullptr;
  return consumer->output()->type.shape == value->type.shape ? consumer : nullptr;
}

}  // namespace

Result<bool> fuse_epilogues(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  // A chain takes elementwise nodes with it, never another contraction.
  std::vector<ir::Node*> contractions = graph.body().node_list();
  std::erase_if(contractions, [](const ir::Node* node) {
    return !has_kind(*node, ops::Kind::contraction) || node->output_count() != 1;
  });
  for (ir::Node* node : contractions) {
    std::vector<ir::Node*> chain = {node};
    while (ir::Node* next = elementwise_consumer(chain.back()->output())) {
      // Two contractions that meet in one add: the first in order has taken it already, or takes it now
      // and reads the other one's result.
      chain.push_back(next);
    }
    if (chain.size() == 1) continue;
    if (!context.allow_rewrite()) return changed;
    // At the last member's place all operands exist, and nobody needed the earlier members before it.
    make_group(chain, chain.back());
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
