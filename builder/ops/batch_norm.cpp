// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

#include <fmt/format.h>

#include <cmath>

namespace tenon::ops {
namespace {

constexpr double kEpsilon = 1e-5;

Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  if (x.rank() < 2) return invalid("batch_norm: X must have a channel axis, axis 1");
  for (int i = 1; i < 5; ++i) {
    if (op.type(i).shape != Shape{x.shape[1]}) {
      return invalid(fmt::format("batch_norm: input {} is {}, but X {} has {} channels", i,
                                 ir::to_string(op.type(i).shape), ir::to_string(x.shape),
                                 x.shape[1].to_string()));
    }
  }
  return Types{TensorType{x.type, x.shape, {}}};
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  const AxisView around = around_axis(in[0]->dims, 1);
  const double epsilon = op.real("epsilon");
  for (int64_t i = 0; i < in[0]->count(); ++i) {
    const int64_t c = i / around.inner % around.size;
    const double centred = in[0]->reals[i] - in[3]->reals[c];
    out[0]->reals[i] =
        centred / std::sqrt(in[4]->reals[c] + epsilon) * in[1]->reals[c] + in[2]->reals[c];
  }
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const DataType type = loop::compute_type(op.type(0).type);
  const auto channel = [&](int input) { return loop::cast(type, lowering.input(input, {at[1]})); };
  const auto deviation =
      loop::unary(loop::ExprOp::square_root, channel(4) + loop::constant(type, op.real("epsilon")));
  return (lowering.input(0, at) - channel(3)) / deviation * channel(1) + channel(2);
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (node.integer("training_mode") != 0) {
    return not_supported_yet("training: training_mode is 1; export the model for inference");
  }
  if (node.opset() < 9 && node.integer("spatial", 1) != 1) {
    return not_supported_yet("batch normalisation per point (spatial = 0)");
  }
  for (int i = 1; i < node.output_count; ++i) {
    if (i < static_cast<int>(node.node.output_names.size()) && !node.node.output_names[i].empty()) {
      return not_supported_yet("the training outputs of batch normalisation");
    }
  }
  TENON_ASSIGN(Value * y, single(importer, "batch_norm", node.inputs,
                                 {{"epsilon", node.real("epsilon", kEpsilon)}}));
  return std::vector<Value*>(node.output_count, y);
}

}  // namespace

TENON_OP(BatchNorm) {
  op.name = "batch_norm";
  op.summary = "y = (x - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c], c on axis 1";
  op.kind = Kind::elementwise;
  op.inputs = {
      {"X", floats()}, {"scale", floats()}, {"B", floats()}, {"mean", floats()}, {"var", floats()}};
  op.attributes = {{"epsilon", kEpsilon}};
  op.onnx_names = {{"BatchNormalization", "", 1, import}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.operations = [](const OpView&) { return 4.0; };
  op.examples = {"f32[2,3,4,5] f32[3] f32[3] f32[3] f32[3]=[0.5,1,2]",
                 "f16[2,3] f32[3] f32[3] f32[3] f32[3]=[0.5,1,2] {epsilon=0.001}",
                 "f64[N,2,3] f64[2] f64[2] f64[2] f64[2]=[1,4]"};
}

}  // namespace tenon::ops
