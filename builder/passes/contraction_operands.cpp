// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/contraction_operands.h"

#include "builder/ops/op.h"
#include "builder/passes/finite.h"

#include <algorithm>

namespace tenon::passes {
namespace {

/// Position of `element` of `dims` along `axis`.
int64_t position_along(int64_t element, const std::vector<int64_t>& dims, int axis) {
  int64_t inner = 1;
  for (size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
  return element / inner % dims[axis];
}

}  // namespace

std::optional<std::vector<double>> per_channel(const ir::Value* value, const ir::Shape& shape,
                                               int axis, int64_t channels) {
  const TensorData* data = ir::Graph::constant_of(value);
  if (!data || !is_float(data->type) || data->dims.size() > shape.size()) return std::nullopt;
  const size_t lead = shape.size() - data->dims.size();
  bool along_channels = false;
  for (size_t i = 0; i < data->dims.size(); ++i) {
    if (data->dims[i] == 1) continue;
    if (static_cast<int>(lead + i) != axis || data->dims[i] != channels) return std::nullopt;
    along_channels = true;
  }
  const ops::ReferenceTensor tensor = ops::to_reference(*data);
  if (along_channels) return tensor.reals;
  return std::vector<double>(channels, tensor.reals[0]);
}

std::optional<ContractionOperands> match_contraction_operands(const ir::Value* value) {
  ir::Node* node = value->producer();
  if (!node || !value->has_one_use() || (node->op() != "conv" && node->op() != "gemm")) {
    return std::nullopt;
  }
  const TensorData* weights = ir::Graph::constant_of(node->input(1));
  if (!weights || !is_float(weights->type)) return std::nullopt;
  ContractionOperands operands;
  operands.node = node;
  operands.weights_channel_axis = node->op() == "conv" || node->integer("transB") ? 0 : 1;
  operands.channels = weights->dims[operands.weights_channel_axis];
  if (!node->input(2)) {
    operands.bias.assign(operands.channels, 0.0);
    return operands;
  }
  std::optional<std::vector<double>> bias;
  if (node->op() == "conv") {
    bias = per_channel(node->input(2), {ir::Dim(operands.channels)}, 0, operands.channels);
  } else {
    bias = per_channel(node->input(2), value->type.shape, 1, operands.channels);
  }
  if (!bias) return std::nullopt;
  for (double& b : *bias) b *= node->op() == "gemm" ? node->real("beta", 1.0) : 1.0;
  operands.bias = std::move(*bias);
  return operands;
}

bool set_operands(const ContractionOperands& operands, const std::vector<double>* scale,
                  const std::vector<double>& bias) {
  ir::Node* node = operands.node;
  ir::Region& region = *node->parent();
  const TensorData& weights = *ir::Graph::constant_of(node->input(1));
  const DataType type = weights.type;
  if (!stay_finite(bias, type)) return false;
  ir::Value* scaled = node->input(1);
  if (scale) {
    ops::ReferenceTensor tensor = ops::to_reference(weights);
    for (int64_t i = 0; i < tensor.count(); ++i) {
      tensor.reals[i] *= (*scale)[position_along(i, tensor.dims, operands.weights_channel_axis)];
    }
    if (!stay_finite(tensor.reals, type)) return false;
    scaled =
        ir::Graph::add_constant(region, ops::to_tensor_data(tensor), node->input(1)->name, node);
  }
  const bool shifts_nothing =
      std::all_of(bias.begin(), bias.end(), [](double b) { return b == 0; });
  if (!node->input(2) && shifts_nothing) {
    node->set_inputs({node->input(0), scaled});
    return true;
  }
  ops::ReferenceTensor shift;
  shift.type = type;
  shift.dims = {operands.channels};
  shift.reals = bias;
  ir::Value* shifts = ir::Graph::add_constant(region, ops::to_tensor_data(shift), "", node);
  node->set_inputs({node->input(0), scaled, shifts});
  if (node->op() == "gemm") node->attributes.erase("beta");
  return true;
}

}  // namespace tenon::passes
