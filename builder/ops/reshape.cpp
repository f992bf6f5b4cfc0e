// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/shape_arithmetic.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  TensorType y{x.type, dims_attribute(op, "shape"), {}};
  const Dim from = ir::element_count(x.shape), to = ir::element_count(y.shape);
  if (from.is_constant() && to.is_constant() && from != to) {
    return invalid(fmt::format("reshape: {} has {} elements, {} has {}", ir::to_string(x.shape),
                               from.to_string(), ir::to_string(y.shape), to.to_string()));
  }
  return Types{y};
}

Status reference(const OpView&, const Operands& in, const Results& out) {
  if (in[0]->count() != out[0]->count()) {
    return Status(ErrorCode::bad_argument,
                  fmt::format("reshape: [{}] does not have as many elements as [{}]",
                              fmt::join(in[0]->dims, ","), fmt::join(out[0]->dims, ",")));
  }
  out[0]->reals = in[0]->reals;
  out[0]->integers = in[0]->integers;
  return {};
}

/// Runs of axes with the same product on both sides are mapped on their own, so that an index that
/// a reshape leaves alone stays a plain axis.
Indices source_indices(const Shape& from, const Shape& to, const Indices& at) {
  Indices result(from.size(), loop::index_constant(0));
  size_t i = 0, o = 0;
  while (i < from.size() || o < to.size()) {
    size_t i_end = i, o_end = o;
    Dim i_count = 1, o_count = 1;
    if (i_end < from.size()) i_count = from[i_end++];
    if (o_end < to.size()) o_count = to[o_end++];
    if (i_count != o_count) {
      // The nearest ends where both products agree; the whole rest when there are none.
      size_t best_i = from.size(), best_o = to.size();
      Dim product = 1;
      for (size_t a = i; a < from.size() && best_i == from.size(); ++a) {
        product = product * from[a];
        Dim other = 1;
        for (size_t b = o; b < to.size(); ++b) {
          other = other * to[b];
          if (other == product && !(a == i && b == o)) {
            best_i = a + 1;
            best_o = b + 1;
            break;
          }
        }
      }
      i_end = best_i;
      o_end = best_o;
    }
    ExprPointer linear = loop::index_constant(0);
    for (size_t b = o; b < o_end; ++b) linear = linear * loop::dim_value(to[b]) + at[b];
    for (size_t a = i_end; a-- > i;) {
      if (from[a] == Dim(1)) continue;
      bool outermost = true;
      for (size_t b = i; b < a; ++b) outermost = outermost && from[b] == Dim(1);
      const auto size = loop::dim_value(from[a]);
      result[a] = outermost ? linear : loop::binary(loop::ExprOp::floor_modulo, linear, size);
      if (!outermost) linear = loop::binary(loop::ExprOp::floor_divide, linear, size);
    }
    i = i_end;
    o = o_end;
  }
  return result;
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  return lowering.input(0, source_indices(op.type(0).shape, op.outputs[0]->shape, at));
}

/// 0 copies the input's dim unless allowzero, -1 takes what is left.
Result<Shape> wanted_shape(const NodeView& node, const Shape& from, std::vector<Dim> wanted) {
  const bool allow_zero = node.integer("allowzero") != 0;
  std::optional<size_t> open;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == Dim(-1)) {
      if (open) return invalid(fmt::format("shape {} holds -1 twice", ir::to_string(wanted)));
      open = i;
    } else if (wanted[i] == Dim(0) && !allow_zero) {
      if (i >= from.size()) {
        return invalid(fmt::format("shape {} copies dim {} of {}, which has none",
                                   ir::to_string(wanted), i, ir::to_string(from)));
      }
      wanted[i] = from[i];
    } else if (wanted[i].is_constant() && wanted[i].constant() < 0) {
      return invalid(fmt::format("shape {} has a negative dim", ir::to_string(wanted)));
    }
  }
  if (!open) return wanted;
  wanted[*open] = 1;
  const Dim total = ir::element_count(from), rest = ir::element_count(wanted);
  if (rest == Dim(0)) {
    return invalid(
        fmt::format("-1 in a shape with a dim of 0 can be anything ({})", ir::to_string(wanted)));
  }
  const auto exact = Dim::exact_div(total, rest);
  if (!exact && total.is_constant() && rest.is_constant()) {
    return invalid(fmt::format("{} elements of {} do not divide into rows of {}", total.to_string(),
                               ir::to_string(from), rest.to_string()));
  }
  wanted[*open] = exact ? *exact : Dim::floor_div(total, rest);
  return wanted;
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  std::vector<Dim> wanted;
  if (node.has_attribute("shape")) {
    wanted = ir::to_shape(node.integers("shape"));
  } else {
    TENON_ASSIGN(wanted, required_elements(node, 1, "shape"));
  }
  TENON_ASSIGN(const Shape shape,
               wanted_shape(node, node.inputs[0]->type.shape, std::move(wanted)));
  TENON_ASSIGN(Value * y, reshape_to(importer, node.inputs[0], shape));
  return forward(y);
}

}  // namespace

TENON_OP(Reshape) {
  op.name = "reshape";
  op.summary = "the same elements in row-major order, in another shape";
  op.kind = Kind::movement;
  op.inputs = {{"data", any_types()}};
  op.attributes = {{"shape", std::vector<int64_t>{}, true}};
  op.onnx_names = {{"Reshape", "", 1, import}};
  op.infer = infer;
  op.is_identity = [](const OpView& view) { return view.type(0) == *view.outputs[0]; };
  op.known_elements = known_as_input;
  op.reference = reference;
  op.lower = lower;
  op.is_view = true;
  op.examples = {"f32[2,3,4] {shape=[6,4]}",   "f32[2,3,4] {shape=[2,12]}",
                 "f32[6,4] {shape=[3,2,2,2]}", "f32[1,3,1] {shape=[3]}",
                 "i8[4,3] {shape=[3,4]}",      "f32[1] {shape=[]}",
                 "f32[0,8,2] {shape=[4,2,0]}", "f32[N,3,4] {shape=[\"N\",\"12\"]}",
                 "bool[4] {shape=[2,2]}"};
}

}  // namespace tenon::ops
