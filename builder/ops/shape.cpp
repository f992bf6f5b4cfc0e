// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

#include <algorithm>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  return Types{TensorType{DataType::i64, {Dim(op.type(0).rank())}, {}}};
}

std::optional<std::vector<Dim>> known(const OpView& op) { return op.type(0).shape; }

Status reference(const OpView&, const Operands& in, const Results& out) {
  out[0]->integers = in[0]->dims;
  return {};
}

ExprPointer lower(const OpView& op, Lowering&, int, const Indices& at) {
  const Shape& shape = op.type(0).shape;
  ExprPointer result = loop::index_constant(0);
  for (size_t i = shape.size(); i-- > 0;) {
    const auto here = equal(at[0], loop::index_constant(static_cast<int64_t>(i)));
    result = loop::select(here, loop::dim_value(shape[i]), result);
  }
  return result;
}

/// Since opset 15 a part of the shape may be asked for: a slice.
Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  const int64_t rank = node.inputs[0]->type.rank();
  const auto bound = [&](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? std::max(value, -rank) + rank : value, 0, rank);
  };
  const int64_t start = bound(node.integer("start", 0)), end = bound(node.integer("end", rank));
  TENON_ASSIGN(Value * whole, single(importer, "shape", {node.inputs[0]}));
  if (start == 0 && end == rank) return forward(whole);
  const std::vector<int64_t> size{std::max<int64_t>(end - start, 0)};
  return importer.node("slice", {whole},
                       {{"axes", std::vector<int64_t>{0}},
                        {"starts", std::vector<int64_t>{size[0] > 0 ? start : 0}},
                        {"sizes", size},
                        {"steps", std::vector<int64_t>{1}}});
}

/// size(x) => reduce_prod(shape(x))
Result<std::vector<Value*>> import_size(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  TENON_ASSIGN(Value * shape, single(importer, "shape", {node.inputs[0]}));
  return importer.node("reduce_prod", {shape},
                       {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{0}}});
}

}  // namespace

TENON_OP(Shape) {
  op.name = "shape";
  op.summary = "the dims of x";
  op.kind = Kind::folded;
  op.inputs = {{"data", any_types()}};
  op.onnx_names = {{"Shape", "", 1, import}, {"Size", "", 1, import_size}};
  op.infer = infer;
  op.known_elements = known;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[2,3,4]", "f32[N,3]", "f32[]", "i8[0]"};
}

}  // namespace tenon::ops
