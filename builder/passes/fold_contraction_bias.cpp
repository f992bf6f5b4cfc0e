// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/fold_contraction_bias.h"

#include "builder/passes/contraction_operands.h"
#include "builder/passes/make_node.h"

namespace tenon::passes {

Result<bool> fold_contraction_bias(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() != "add" || node->output()->uses().empty()) continue;
    const ir::Value* y = node->input(0);
    const auto operands = match_contraction_operands(y);
    if (!operands || node->output()->type.shape != y->type.shape) continue;
    const auto shift =
        per_channel(node->input(1), y->type.shape, operands->channel_axis, operands->channels);
    if (!shift) continue;
    std::vector<double> bias = operands->bias;
    for (size_t c = 0; c < bias.size(); ++c) bias[c] += (*shift)[c];
    if (!context.allow_rewrite()) return changed;
    if (!set_operands(*operands, nullptr, bias)) continue;
    add_origins(operands->node->origins, node->origins);
    operands->node->output()->name.clear();
    ir::Graph::replace_all_uses(node->output(), operands->node->output());
    // Gone at once, so that the contraction has one use for the next shift.
    node->parent()->erase(node);
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
