// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/decompose_batch_norm.h"

#include "builder/ops/op.h"
#include "builder/passes/finite.h"
#include "builder/passes/make_node.h"

#include <cmath>
#include <utility>

namespace tenon::passes {
namespace {

/// scale or shift as [C,1,...,1], which broadcasts to a tensor of this rank.
ir::Value* channel_constant(const std::vector<double>& values, DataType type, int rank,
                            ir::Node* before) {
  ops::ReferenceTensor tensor;
  tensor.type = type;
  tensor.dims.assign(rank < 2 ? 1 : rank - 1, 1);
  tensor.dims[0] = static_cast<int64_t>(values.size());
  tensor.reals = values;
  return ir::Graph::add_constant(*before->parent(), ops::to_tensor_data(tensor), "", before);
}

struct Factors {
  std::vector<double> scale, shift;
};

Factors factors_of(const ir::Node& node) {
  std::vector<double> parameters[4];
  for (int i = 0; i < 4; ++i) {
    parameters[i] = ops::to_reference(*ir::Graph::constant_of(node.input(i + 1))).reals;
  }
  const auto& [gamma, beta, mean, variance] = parameters;
  const double epsilon = node.real("epsilon", 1e-5);
  std::vector<double> scale(gamma.size()), shift(gamma.size());
  for (size_t c = 0; c < gamma.size(); ++c) {
    scale[c] = gamma[c] / std::sqrt(variance[c] + epsilon);
    shift[c] = beta[c] - mean[c] * scale[c];
  }
  return {std::move(scale), std::move(shift)};
}

Status replace(ir::Node* node, const Factors& factors) {
  const ir::TensorType& type = node->output()->type;
  ir::Value* scales = channel_constant(factors.scale, type.type, type.rank(), node);
  ir::Value* shifts = channel_constant(factors.shift, type.type, type.rank(), node);
  TENON_ASSIGN(ir::Node * product,
               make_node("mul", {node->input(0), scales}, {}, node, node->origins));
  TENON_ASSIGN(ir::Node * sum,
               make_node("add", {product->output(), shifts}, {}, node, node->origins));
  ir::Graph::replace_all_uses(node->output(), sum->output());
  return {};
}

}  // namespace

Result<bool> decompose_batch_norm(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() != "batch_norm" || node->output_count() != 1) continue;
    bool constant = true;
    for (int i = 1; i <= 4; ++i) {
      constant = constant && ir::Graph::constant_of(node->input(i)) != nullptr;
    }
    if (!constant || node->output()->uses().empty()) continue;
    const Factors factors = factors_of(*node);
    const DataType type = node->output()->type.type;
    if (!stay_finite(factors.scale, type) || !stay_finite(factors.shift, type)) continue;
    if (!context.allow_rewrite()) return changed;
    TENON_RETURN_IF_ERROR(replace(node, factors));
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
