// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/dims_attribute.h"
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/point_map.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  const auto pads = dims_attribute(op, "pads");
  if (static_cast<int>(pads.size()) != 2 * x.rank()) {
    return invalid(fmt::format("pad: {} values for the {} axes of {}", pads.size(), x.rank(),
                               ir::to_string(x.shape)));
  }
  if (op.has(1) && (op.type(1).type != x.type || op.type(1).rank() != 0)) {
    return invalid("pad: the value must be a scalar of the data's type");
  }
  TensorType y = x;
  y.layout = {};
  for (int i = 0; i < x.rank(); ++i) y.shape[i] = x.shape[i] + pads[i] + pads[x.rank() + i];
  return Types{y};
}

void fill_with_value(const Operands& in, ReferenceTensor& y) {
  const ReferenceTensor* value = in.size() > 1 ? in[1] : nullptr;
  std::fill(y.reals.begin(), y.reals.end(), value && is_float(y.type) ? value->reals[0] : 0);
  std::fill(y.integers.begin(), y.integers.end(),
            value && !is_float(y.type) ? value->integers[0] : 0);
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  fill_with_value(in, *out[0]);
  const auto pads = dims_attribute(op, "pads");
  const std::vector<int64_t>& dims = in[0]->dims;
  const size_t rank = dims.size();
  // Only the pads' difference to the output is known for a symbolic pad: begin is evaluated from
  // it.
  std::vector<int64_t> begins(rank), source(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (pads[i].is_constant())
      begins[i] = pads[i].constant();
    else if (pads[rank + i].is_constant())
      begins[i] = out[0]->dims[i] - dims[i] - pads[rank + i].constant();
    else
      return not_supported_yet("the reference of a pad that is symbolic on both sides");
  }
  copy_points(*in[0], *out[0], [&](const std::vector<int64_t>& at) {
    for (size_t i = 0; i < rank; ++i) {
      source[i] = at[i] - begins[i];
      if (source[i] < 0 || source[i] >= dims[i])
        return static_cast<const std::vector<int64_t>*>(nullptr);
    }
    return static_cast<const std::vector<int64_t>*>(&source);
  });
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const TensorType& x = op.type(0);
  const auto pads = dims_attribute(op, "pads");
  Indices source(at.size());
  ExprPointer inside;
  const auto require = [&](const ExprPointer& next) {
    inside = inside ? loop::binary(loop::ExprOp::bit_and, inside, next) : next;
  };
  for (int i = 0; i < x.rank(); ++i) {
    source[i] = at[i] - loop::dim_value(pads[i]);
    if (pads[i] != Dim(0)) require(less_equal(loop::index_constant(0), source[i]));
    if (pads[x.rank() + i] != Dim(0)) require(less(source[i], loop::dim_value(x.shape[i])));
  }
  const ExprPointer element = lowering.input(0, source);
  if (!inside) return element;
  const ExprPointer value =
      op.has(1) ? lowering.input(1, {}) : loop::constant(loop::compute_type(x.type), 0);
  return loop::select(inside, element, value);
}

/// Pads are an attribute before opset 11; from 18 on they may name their axes.
Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  const std::string mode = node.text("mode", "constant");
  if (mode != "constant") return not_supported_yet(fmt::format("padding of mode \"{}\"", mode));
  Value* x = node.inputs[0];
  const int rank = x->type.rank();
  std::vector<Dim> given;
  Value* value = nullptr;
  if (node.has_attribute("pads") || node.has_attribute("paddings")) {
    given = ir::to_shape(node.integers(node.has_attribute("pads") ? "pads" : "paddings"));
    value = scalar_constant(importer, x->type.type, node.real("value"));
  } else {
    TENON_ASSIGN(given, required_elements(node, 1, "pads"));
    if (node.has(2)) {
      TENON_ASSIGN(value, reshape_to(importer, node.inputs[2], {}));
    }
  }
  std::vector<int64_t> axes;
  if (node.has(3)) {
    TENON_ASSIGN(axes, required_integers(node, 3, "axes"));
  } else {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  }
  if (given.size() != 2 * axes.size()) {
    return invalid(fmt::format("{} pads are given for {} axes", given.size(), axes.size()));
  }
  std::vector<Dim> pads(2 * rank, Dim(0));
  bool padded = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    TENON_ASSIGN(const int axis, normal_axis(axes[i], rank));
    pads[axis] = given[i];
    pads[rank + axis] = given[axes.size() + i];
    padded = padded || given[i] != Dim(0) || given[axes.size() + i] != Dim(0);
  }
  if (!padded) return forward(x);
  return importer.node("pad", {x, value}, {{"pads", make_dims_attribute(pads)}});
}

}  // namespace

TENON_OP(Pad) {
  op.name = "pad";
  op.summary = "y = x with a border of value; negative pads cut";
  op.kind = Kind::movement;
  op.inputs = {{"data", all_types()}, {"value", all_types(), true}};
  op.attributes = {{"pads", std::vector<int64_t>{}, true}};
  op.onnx_names = {{"Pad", "", 1, import}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[2,3] {pads=[1,0,0,2]}", "f32[2,3] f32[]=[7] {pads=[1,1,1,1]}",
                 "f32[4] {pads=[-1,2]}",      "i8[2,2] i8[]=[-5] {pads=[0,1,1,0]}",
                 "f16[0,2] {pads=[1,0,0,0]}", "f32[N,2] {pads=[0,1,0,0]}"};
}

}  // namespace tenon::ops
