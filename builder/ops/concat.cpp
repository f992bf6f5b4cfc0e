// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/point_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  TensorType y{op.type(0).type, op.type(0).shape, {}};
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), y.rank()));
  for (int i = 1; i < static_cast<int>(op.inputs.size()); ++i) {
    const TensorType& x = op.type(i);
    bool agrees = x.rank() == y.rank() && x.type == y.type;
    for (int a = 0; agrees && a < y.rank(); ++a) agrees = a == axis || x.shape[a] == y.shape[a];
    if (!agrees) {
      return invalid(
          fmt::format("concat: input {} is {}, input 0 is {}; they may differ in axis {} only", i,
                      ir::to_string(x), ir::to_string(op.type(0)), axis));
    }
    y.shape[axis] = y.shape[axis] + x.shape[axis];
  }
  return Types{y};
}

std::optional<std::vector<Dim>> known(const OpView& op) {
  if (op.type(0).rank() != 1) return std::nullopt;
  std::vector<Dim> result;
  for (int i = 0; i < static_cast<int>(op.inputs.size()); ++i) {
    const auto elements = op.elements(i);
    if (!elements) return std::nullopt;
    result.insert(result.end(), elements->begin(), elements->end());
  }
  return result;
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  ReferenceTensor& y = *out[0];
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), static_cast<int>(y.dims.size())));
  const AxisView whole = around_axis(y.dims, axis);
  int64_t start = 0;
  for (const ReferenceTensor* x : in) {
    const int64_t row = x->dims[axis] * whole.inner;
    for (int64_t i = 0; i < whole.outer * row; ++i) {
      copy_element(*x, i, y, (i / row * whole.size + start) * whole.inner + i % row);
    }
    start += x->dims[axis];
  }
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const int axis = *normal_axis(op.integer("axis"), op.type(0).rank());
  std::vector<Dim> starts;
  Dim start = 0;
  for (const TensorType* type : op.inputs) {
    starts.push_back(start);
    start = start + type->shape[axis];
  }
  ExprPointer result;
  for (int i = static_cast<int>(op.inputs.size()); i-- > 0;) {
    Indices source = at;
    source[axis] = at[axis] - loop::dim_value(starts[i]);
    const ExprPointer part = lowering.input(i, source);
    result =
        result ? loop::select(less(at[axis], loop::dim_value(starts[i + 1])), part, result) : part;
  }
  return result;
}

/// Negative axes become positive; one input is its own concatenation.
Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs at least one input");
  if (!node.has_attribute("axis") && node.opset() >= 4) return invalid("needs attribute axis");
  TENON_ASSIGN(const int axis, normal_axis(node.integer("axis", 1), node.inputs[0]->type.rank()));
  if (node.inputs.size() == 1) return forward(node.inputs[0]);
  // A kernel tests for every point which part it is in, so many parts are joined by levels.
  constexpr size_t kMostParts = 32;
  std::vector<Value*> parts = node.inputs;
  while (parts.size() > kMostParts) {
    std::vector<Value*> joined;
    for (size_t i = 0; i < parts.size(); i += kMostParts) {
      const size_t end = std::min(i + kMostParts, parts.size());
      TENON_ASSIGN(Value * part, single(importer, "concat", {parts.begin() + i, parts.begin() + end},
                                        {{"axis", int64_t{axis}}}));
      joined.push_back(part);
    }
    parts = std::move(joined);
  }
  return importer.node("concat", parts, {{"axis", int64_t{axis}}});
}

}  // namespace

TENON_OP(Concat) {
  op.name = "concat";
  op.summary = "the inputs one after another along axis";
  op.kind = Kind::movement;
  op.inputs = {{"inputs", any_types(), false, true}};
  op.attributes = {{"axis", int64_t{0}, true}};
  op.onnx_names = {{"Concat", "", 1, import}};
  op.infer = infer;
  op.is_identity = [](const OpView& view) { return view.inputs.size() == 1; };
  op.known_elements = known;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[2,3] f32[2,1] f32[2,4] {axis=1}", "f32[2,3] f32[1,3] {axis=0}",
                 "i64[0] i64[2] {axis=0}", "f16[2,2,2] f16[2,3,2] {axis=1}",
                 "u8[N,2] u8[N,3] {axis=1}"};
}

}  // namespace tenon::ops
