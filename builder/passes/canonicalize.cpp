// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/canonicalize.h"

#include "builder/ops/op.h"
#include "builder/passes/make_node.h"

#include <algorithm>
#include <numeric>

namespace tenon::passes {
namespace {

ir::Node* producer_of(const ir::Value* value, std::string_view op) {
  ir::Node* node = value->producer();
  return node && node->op() == op ? node : nullptr;
}

/// The axes of a transpose; without the attribute they are reversed.
std::vector<int64_t> permutation_of(const ir::Node& transpose) {
  std::vector<int64_t> permutation = transpose.integers("perm");
  if (permutation.empty()) {
    permutation.resize(transpose.output()->type.shape.size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
  }
  return permutation;
}

/// The value that the node's only output equals, or null.
ir::Value* equal_input(const ir::Node& node) {
  const ops::OpDefinition* definition = ops::find(node.op());
  const bool equal = definition && definition->is_identity && node.output_count() == 1 &&
                     definition->is_identity(ops::view(node));
  return equal ? node.input(0) : nullptr;
}

/// transpose(transpose(x)) and reshape(reshape(x)): the second reads x itself.
Result<ir::Value*> merged_movement(ir::Node* node) {
  ir::Node* inner = producer_of(node->input(0), node->op());
  if (!inner) return nullptr;
  if (node->op() == "reshape") {
    TENON_ASSIGN(ir::Node * merged,
                 make_node("reshape", {inner->input(0)}, node->attributes, node, inner->origins));
    add_origins(merged->origins, node->origins);
    return merged->output();
  }
  const std::vector<int64_t> first = permutation_of(*inner), second = permutation_of(*node);
  std::vector<int64_t> both;
  for (int64_t axis : second) both.push_back(first[axis]);
  TENON_ASSIGN(ir::Node * merged,
               make_node("transpose", {inner->input(0)}, {{"perm", both}}, node, inner->origins));
  add_origins(merged->origins, node->origins);
  return merged->output();
}

bool is_commutative(const ir::Node& node) {
  const ops::OpDefinition* definition = ops::find(node.op());
  return definition && definition->is_commutative;
}

bool is_constant(const ir::Value* value) { return ir::Graph::constant_of(value) != nullptr; }

}  // namespace

Result<bool> canonicalize(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() == ir::Node::kReturnOp) continue;
    if (ir::Value* equal = equal_input(*node); equal && !node->output()->uses().empty()) {
      // An output keeps its name; a parameter cannot carry a second one.
      if (!context.allow_rewrite()) return changed;
      ir::Graph::replace_all_uses(node->output(), equal);
      changed = true;
      continue;
    }
    if ((node->op() == "transpose" || node->op() == "reshape") && !node->output()->uses().empty() &&
        producer_of(node->input(0), node->op())) {
      if (!context.allow_rewrite()) return changed;
      TENON_ASSIGN(ir::Value * merged, merged_movement(node));
      ir::Value* equal = equal_input(*merged->producer());
      ir::Graph::replace_all_uses(node->output(), equal ? equal : merged);
      changed = true;
      continue;
    }
    if (is_commutative(*node) && is_constant(node->input(0)) && !is_constant(node->input(1))) {
      if (!context.allow_rewrite()) return changed;
      node->set_inputs({node->input(1), node->input(0)});
      changed = true;
    }
  }
  return changed;
}

}  // namespace tenon::passes
