// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/point_map.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

const TypeSet& index_types() {
  static const TypeSet set{DataType::i64, DataType::i32};
  return set;
}

Result<Types> infer(const OpView& op) {
  const TensorType &x = op.type(0), &indices = op.type(1);
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), x.rank()));
  const Dim& size = x.shape[axis];
  if (const TensorData* constant = op.constant(1); constant && size.is_constant()) {
    for (const int64_t index : to_reference(*constant).integers) {
      if (index < -size.constant() || index >= size.constant()) {
        return invalid(fmt::format("gather: index {} is outside of axis {} of {}", index, axis,
                                   ir::to_string(x.shape)));
      }
    }
  }
  TensorType y{x.type, Shape(x.shape.begin(), x.shape.begin() + axis), {}};
  y.shape.insert(y.shape.end(), indices.shape.begin(), indices.shape.end());
  y.shape.insert(y.shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  return Types{y};
}

std::optional<std::vector<Dim>> known(const OpView& op) {
  const auto elements = op.elements(0), indices = op.elements(1);
  if (!elements || !indices || op.type(0).rank() != 1) return std::nullopt;
  std::vector<Dim> result;
  const auto count = static_cast<int64_t>(elements->size());
  for (const Dim& index : *indices) {
    if (!index.is_constant() || index.constant() < -count || index.constant() >= count) {
      return std::nullopt;
    }
    result.push_back(
        (*elements)[index.constant() < 0 ? index.constant() + count : index.constant()]);
  }
  return result;
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  const ReferenceTensor &x = *in[0], &indices = *in[1];
  const auto rank = static_cast<int>(x.dims.size());
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), rank));
  const AxisView view = around_axis(x.dims, axis);
  int64_t next = 0;
  for (int64_t o = 0; o < view.outer; ++o) {
    for (const int64_t given : indices.integers) {
      const int64_t index = given < 0 ? given + view.size : given;
      const bool inside = index >= 0 && index < view.size;
      for (int64_t i = 0; i < view.inner; ++i, ++next) {
        // Outside of the axis generated code reads nothing and gives 0.
        if (inside)
          copy_element(x, (o * view.size + index) * view.inner + i, *out[0], next);
        else if (is_float(x.type))
          out[0]->reals[next] = 0;
        else
          out[0]->integers[next] = 0;
      }
    }
  }
  return {};
}

/// Constant indices that inference has seen to be inside need no guard.
bool proven_inside(const OpView& op, const Dim& size) {
  return op.constant(1) && size.is_constant();
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const TensorType &x = op.type(0), &indices = op.type(1);
  const int axis = *normal_axis(op.integer("axis"), x.rank());
  const auto middle = at.begin() + axis;
  const Indices position(middle, middle + indices.rank());
  const auto zero = loop::index_constant(0), size = loop::dim_value(x.shape[axis]);
  const auto elements = op.elements(1);
  ExprPointer index;
  if (elements && elements->size() == 1 && elements->front().is_constant()) {
    index = loop::index_constant(elements->front().constant());
  } else {
    index = loop::cast(DataType::i64, lowering.input(1, position));
  }
  index = loop::select(less(index, zero), index + size, index);
  Indices source(at.begin(), middle);
  source.push_back(index);
  source.insert(source.end(), middle + indices.rank(), at.end());
  const ExprPointer element = lowering.input(0, source);
  if (proven_inside(op, x.shape[axis])) return element;
  const auto inside =
      loop::binary(loop::ExprOp::bit_and, less_equal(zero, index), less(index, size));
  return loop::select(inside, element, loop::constant(loop::compute_type(x.type), 0));
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  return importer.node("gather", node.inputs, {{"axis", node.integer("axis", 0)}});
}

}  // namespace

TENON_OP(Gather) {
  op.name = "gather";
  op.summary =
      "y = x at the indices along axis; negative ones count from the end, others outside give 0";
  op.kind = Kind::movement;
  op.inputs = {{"data", all_types()}, {"indices", index_types()}};
  op.attributes = {{"axis", int64_t{0}}};
  op.onnx_names = {{"Gather", "", 1, import}};
  op.infer = infer;
  op.known_elements = known;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[5,3] i64[2]=[4,0]",
                 "f32[5,3] i64[2,2]=[0,-1,2,-3] {axis=1}",
                 "f32[5,3] i64[]=[-1]",
                 "f16[4,2] i32[3]=[1,1,3]",
                 "i64[4] i64[1]=[2]",
                 "f32[2,3,4] i64[]=[1] {axis=-1}",
                 "f32[N,3] i64[2]=[0,1] {axis=1}"};
}

}  // namespace tenon::ops
