// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/fold_contraction_scale.h"

#include "builder/passes/contraction_operands.h"
#include "builder/passes/make_node.h"

namespace tenon::passes {

Result<bool> fold_contraction_scale(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() != "mul" || node->output()->uses().empty()) continue;
    ir::Value* y = node->input(0);
    // mul(add(y, t), s): fold t first, which the bias pass would do too late for this product.
    ir::Node* sum = y->producer() && y->producer()->op() == "add" && y->has_one_use() ? y->producer()
                                                                                        : nullptr;
    const auto operands = match_contraction_operands(sum ? sum->input(0) : y);
    if (!operands) continue;
    const ir::Shape& shape = y->type.shape;
    if (node->output()->type.shape != shape) continue;
    const auto scale = per_channel(node->input(1), shape, operands->channel_axis, operands->channels);
    if (!scale) continue;
    std::vector<double> bias = operands->bias;
    if (sum) {
      const auto shift = per_channel(sum->input(1), shape, operands->channel_axis, operands->channels);
      if (!shift || operands->node->output()->type.shape != shape) continue;
      for (size_t c = 0; c < bias.size(); ++c) bias[c] += (*shift)[c];
    }
    for (size_t c = 0; c < bias.size(); ++c) bias[c] *= (*scale)[c];
    if (!context.allow_rewrite()) return changed;
    if (!set_operands(*operands, &*scale, bias)) continue;
    if (sum) add_origins(operands->node->origins, sum->origins);
    add_origins(operands->node->origins, node->origins);
    operands->node->output()->name.clear();
    ir::Graph::replace_all_uses(node->output(), operands->node->output());
    // Gone at once, so that the contraction has one use for the next scale.
    node->parent()->erase(node);
    if (sum) sum->parent()->erase(sum);
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
