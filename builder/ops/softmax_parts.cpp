// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/softmax_parts.h"
#include "builder/ops/axis.h"
#include "builder/ops/import.h"

namespace tenon::ops {

void define_softmax(OpDefinition& op) {
  op.kind = Kind::reduction;
  op.inputs = {{"input", floats()}};
  op.attributes = {{"axis", int64_t{-1}}};
  op.infer = [](const OpView& view) -> Result<Types> {
    TENON_RETURN_IF_ERROR(normal_axis(view.integer("axis"), view.type(0).rank()).status());
    return Types{TensorType{view.type(0).type, view.type(0).shape, {}}};
  };
  op.examples = {"f32[2,5]",  "f32[2,3,4] {axis=1}", "f64[3,4] {axis=0}", "f16[2,7]",
                 "bf16[2,7]", "f32[N,10]",           "f32[0,4]",          "f32[3,1]"};
}

Import import_softmax(std::string op) {
  return [op](const NodeView& node, Importer& importer) -> Result<std::vector<Value*>> {
    if (!node.has(0)) return forward(nullptr);
    Value* x = node.inputs[0];
    const int rank = x->type.rank();
    const bool flattens = node.opset() < 13;
    const int64_t given = node.integer("axis", flattens ? 1 : -1);
    // The matrix [d0*...*d(axis-1), ...] of an axis at the end of the shape has rows of one
    // element.
    if (flattens && given == rank) {
      TENON_ASSIGN(Value * column, reshape_to(importer, x, {ir::element_count(x->type.shape), 1}));
      TENON_ASSIGN(Value * y, single(importer, op, {column}, {{"axis", int64_t{1}}}));
      TENON_ASSIGN(y, reshape_to(importer, y, x->type.shape));
      return forward(y);
    }
    TENON_ASSIGN(const int axis, normal_axis(given, rank));
    if (!flattens || axis == rank - 1) {
      const int64_t stored = axis == rank - 1 ? -1 : axis;
      TENON_ASSIGN(Value * y, single(importer, op, {x}, {{"axis", stored}}));
      return forward(y);
    }
    const auto middle = x->type.shape.begin() + axis;
    const Shape matrix{ir::element_count(Shape(x->type.shape.begin(), middle)),
                       ir::element_count(Shape(middle, x->type.shape.end()))};
    TENON_ASSIGN(Value * flat, reshape_to(importer, x, matrix));
    TENON_ASSIGN(Value * y, single(importer, op, {flat}));
    TENON_ASSIGN(y, reshape_to(importer, y, x->type.shape));
    return forward(y);
  };
}

SoftmaxParts softmax_parts(const OpView& op, Lowering& lowering, const Indices& at) {
  const Shape& shape = op.type(0).shape;
  const int axis = *normal_axis(op.integer("axis"), op.type(0).rank());
  const auto element = [&](const ExprPointer& index) {
    Indices indices = at;
    indices[axis] = index;
    return lowering.input(0, indices);
  };
  const ExprPointer largest = lowering.reduce(loop::Combiner::maximum, {shape[axis]},
                                              [&](const Indices& r) { return element(r[0]); });
  const ExprPointer sum = lowering.reduce(
      loop::Combiner::sum, {shape[axis]},
      [&](const Indices& r) { return loop::unary(loop::ExprOp::exp, element(r[0]) - largest); });
  return {element(at[axis]) - largest, sum};
}

Status for_each_row(const OpView& op, const Operands& in, const Results& out,
                    const std::function<void(const double*, double*, int64_t, int64_t)>& row) {
  const auto rank = static_cast<int>(in[0]->dims.size());
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), rank));
  const AxisView view = around_axis(in[0]->dims, axis);
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t start = o * view.size * view.inner + i;
      row(in[0]->reals.data() + start, out[0]->reals.data() + start, view.size, view.inner);
    }
  }
  return {};
}

}  // namespace tenon::ops
