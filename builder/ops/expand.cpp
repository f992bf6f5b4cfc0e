// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/broadcast.h"
#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/point_map.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  const Shape wanted = dims_attribute(op, "shape");
  TENON_ASSIGN(const Shape shape, broadcast(op.type(0).shape, wanted));
  if (shape != wanted) {
    return invalid(fmt::format("expand: {} does not stretch to {}", ir::to_string(op.type(0).shape),
                               ir::to_string(wanted)));
  }
  return Types{TensorType{op.type(0).type, wanted, {}}};
}

std::optional<std::vector<Dim>> known(const OpView& op) {
  const auto elements = op.elements(0);
  const Shape shape = dims_attribute(op, "shape");
  const Dim count = ir::element_count(shape);
  if (!elements || elements->size() != 1 || !count.is_constant() || count.constant() > 64) {
    return std::nullopt;
  }
  return std::vector<Dim>(count.constant(), elements->front());
}

Status reference(const OpView&, const Operands& in, const Results& out) {
  for_each_point(out[0]->dims, in, [&](int64_t i, const int64_t* offset) {
    copy_element(*in[0], offset[0], *out[0], i);
  });
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  return lowering.input(0, broadcast_indices(op.type(0).shape, at));
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs an input");
  TENON_ASSIGN(const Shape wanted, required_elements(node, 1, "shape"));
  TENON_ASSIGN(const Shape shape, broadcast(node.inputs[0]->type.shape, wanted));
  if (shape == node.inputs[0]->type.shape) return forward(node.inputs[0]);
  return importer.node("expand", {node.inputs[0]}, {{"shape", make_dims_attribute(shape)}});
}

}  // namespace

TENON_OP(Expand) {
  op.name = "expand";
  op.summary = "y = x stretched along axes of size 1";
  op.kind = Kind::movement;
  op.inputs = {{"input", any_types()}};
  op.attributes = {{"shape", std::vector<int64_t>{}, true}};
  op.onnx_names = {{"Expand", "", 8, import}};
  op.infer = infer;
  op.is_identity = [](const OpView& view) { return view.type(0) == *view.outputs[0]; };
  op.known_elements = known;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[3,1] {shape=[2,3,4]}", "f32[] {shape=[2,2]}", "i8[1] {shape=[5]}",
                 "f32[2,1] {shape=[2,0]}", "f32[1,3] {shape=[\"N\",\"3\"]}"};
}

}  // namespace tenon::ops
