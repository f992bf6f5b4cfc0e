// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/broadcast.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

#include <fmt/format.h>

#include <cmath>

namespace tenon::ops {
namespace {

constexpr double kEpsilon = 1e-5;

/// Y; the mean and the reciprocal deviation are computed, and given, in f32 (f64 for f64).
Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), x.rank()));
  for (int i = 1; i < static_cast<int>(op.inputs.size()); ++i) {
    if (!op.has(i)) continue;
    TENON_ASSIGN(const Shape shape, broadcast(x.shape, op.type(i).shape));
    if (shape != x.shape) {
      return invalid(fmt::format("layer_norm: input {} {} does not broadcast to X {}", i,
                                 ir::to_string(op.type(i).shape), ir::to_string(x.shape)));
    }
  }
  TensorType statistics{loop::compute_type(x.type), x.shape, {}};
  for (int i = axis; i < x.rank(); ++i) statistics.shape[i] = 1;
  Types types{TensorType{x.type, x.shape, {}}, statistics, statistics};
  types.resize(op.output_count);
  return types;
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  const ReferenceTensor& x = *in[0];
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), static_cast<int>(x.dims.size())));
  int64_t rows = 1, columns = 1;
  for (int i = 0; i < static_cast<int>(x.dims.size()); ++i)
    (i < axis ? rows : columns) *= x.dims[i];
  std::vector<double> normal(x.reals.size());
  for (int64_t row = 0; row < rows; ++row) {
    const double* from = x.reals.data() + row * columns;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < columns; ++i) sum += from[i];
    const double mean = sum / static_cast<double>(columns);
    for (int64_t i = 0; i < columns; ++i) squares += (from[i] - mean) * (from[i] - mean);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(columns) + op.real("epsilon"));
    for (int64_t i = 0; i < columns; ++i) normal[row * columns + i] = (from[i] - mean) * scale;
    if (out.size() > 1) out[1]->reals[row] = mean;
    if (out.size() > 2) out[2]->reals[row] = scale;
  }
  Operands factors(in.begin() + 1, in.end());
  for_each_point(x.dims, factors, [&](int64_t i, const int64_t* offset) {
    double value = normal[i];
    if (!factors.empty() && factors[0]) value *= factors[0]->reals[offset[0]];
    if (factors.size() > 1 && factors[1]) value += factors[1]->reals[offset[1]];
    out[0]->reals[i] = value;
  });
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int output, const Indices& at) {
  const TensorType& x = op.type(0);
  const int axis = *normal_axis(op.integer("axis"), x.rank());
  const Shape extents(x.shape.begin() + axis, x.shape.end());
  const DataType type = loop::compute_type(x.type);
  const auto element = [&](const Indices& r) {
    Indices source(at.begin(), at.begin() + axis);
    source.insert(source.end(), r.begin(), r.end());
    return lowering.input(0, source);
  };
  const auto count = loop::cast(type, loop::dim_value(ir::element_count(extents)));
  const ExprPointer mean = lowering.reduce(loop::Combiner::sum, extents, element) / count;
  if (output == 1) return mean;
  const ExprPointer squares = lowering.reduce(loop::Combiner::sum, extents, [&](const Indices& r) {
    const ExprPointer centred = element(r) - mean;
    return centred * centred;
  });
  const auto deviation = loop::unary(loop::ExprOp::square_root,
                                     squares / count + loop::constant(type, op.real("epsilon")));
  const ExprPointer scale = loop::constant(type, 1) / deviation;
  if (output == 2) return scale;
  ExprPointer y = (lowering.input(0, at) - mean) * scale;
  const auto factor = [&](int input) {
    return loop::cast(type, lowering.input(input, broadcast_indices(op.type(input).shape, at)));
  };
  if (op.has(1)) y = y * factor(1);
  if (op.has(2)) y = y + factor(2);
  return y;
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  return importer.node(
      "layer_norm", node.inputs,
      {{"axis", node.integer("axis", -1)}, {"epsilon", node.real("epsilon", kEpsilon)}},
      node.output_count);
}

}  // namespace

TENON_OP(LayerNorm) {
  op.name = "layer_norm";
  op.summary =
      "y = (x - mean) / sqrt(variance + epsilon) * scale + bias, over the axes from axis on";
  op.kind = Kind::reduction;
  op.inputs = {{"X", floats()}, {"Scale", floats(), true}, {"B", floats(), true}};
  op.attributes = {{"axis", int64_t{-1}}, {"epsilon", kEpsilon}};
  op.onnx_names = {{"LayerNormalization", "", 17, import}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.operations = [](const OpView&) { return 4.0; };
  op.examples = {"f32[4,8] f32[8] f32[8]", "f32[2,3,4] f32[3,4] f32[3,4] {axis=1}",
                 "f16[4,8] f16[8]",        "f64[4,8] f64[8] f64[8] {epsilon=0.001}",
                 "f32[N,8] f32[8] f32[8]", "bf16[2,8] bf16[8]"};
}

}  // namespace tenon::ops
