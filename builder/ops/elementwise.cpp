// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include "builder/ops/broadcast.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

using loop::ExprOp;

/// Inputs whose declared types are the same set are of one type.
Status check_one_type(const OpView& op) {
  const OpDefinition* definition = find(op.op);
  for (int i = 1; i < static_cast<int>(op.inputs.size()); ++i) {
    if (!op.has(i) || definition->inputs[i].types != definition->inputs[0].types) continue;
    if (op.type(i).type != op.type(0).type) {
      return invalid(fmt::format("{}: inputs 0 and {} have types {} and {}; they must be the same",
                                 op.op, i, to_string(op.type(0).type), to_string(op.type(i).type)));
    }
  }
  return {};
}

}  // namespace

std::function<Status(const OpView&, const Operands&, const Results&)> reference_of(
    PointFunction function) {
  return [function](const OpView& op, const Operands& in, const Results& out) -> Status {
    ReferenceTensor& result = *out[0];
    const DataType type = in[0]->type;
    std::vector<Scalar> scalars(std::max<size_t>(in.size(), 2));
    for_each_point(result.dims, in, [&](int64_t i, const int64_t* offsets) {
      for (size_t k = 0; k < in.size(); ++k) {
        if (!in[k]) continue;
        if (is_float(in[k]->type))
          scalars[k].real = in[k]->reals[offsets[k]];
        else
          scalars[k].integer = in[k]->integers[offsets[k]];
      }
      const Scalar value = function(op, type, scalars.data());
      if (is_float(result.type))
        result.reals[i] = value.real;
      else
        result.integers[i] = value.integer;
    });
    return {};
  };
}

void define_elementwise(
    OpDefinition& op, PointFunction reference,
    std::function<ExprPointer(const OpView&, const std::vector<ExprPointer>&)> scalar,
    std::optional<DataType> result) {
  op.kind = Kind::elementwise;
  op.infer = [result](const OpView& view) -> Result<Types> {
    TENON_RETURN_IF_ERROR(check_one_type(view));
    TENON_ASSIGN(Shape shape, broadcast_inputs(view));
    return Types{TensorType{result.value_or(view.type(0).type), std::move(shape), {}}};
  };
  op.reference = reference_of(std::move(reference));
  op.scalar = std::move(scalar);
  op.operations = [](const OpView&) { return 1.0; };
}

void define_unary(OpDefinition& op, const char* onnx, int64_t since, const TypeSet& types,
                  PointFunction reference, std::function<ExprPointer(const ExprPointer&)> scalar,
                  std::optional<DataType> result) {
  op.inputs = {{"X", types}};
  op.onnx_names = {{onnx, "", since, import_as(op.name)}};
  define_elementwise(
      op, std::move(reference),
      [scalar](const OpView&, const std::vector<ExprPointer>& x) { return scalar(x[0]); }, result);
}

void define_binary(OpDefinition& op, const char* onnx, int64_t since, const TypeSet& types,
                   PointFunction reference,
                   std::function<ExprPointer(const ExprPointer&, const ExprPointer&)> scalar,
                   std::optional<DataType> result) {
  op.inputs = {{"A", types}, {"B", types}};
  op.onnx_names = {{onnx, "", since, import_as(op.name)}};
  define_elementwise(
      op, std::move(reference),
      [scalar](const OpView&, const std::vector<ExprPointer>& x) { return scalar(x[0], x[1]); },
      result);
}

ExprPointer like(const ExprPointer& expression, double value) {
  return loop::constant(expression->type, value);
}
ExprPointer less(const ExprPointer& a, const ExprPointer& b) {
  return loop::binary(ExprOp::less, a, b);
}
ExprPointer less_equal(const ExprPointer& a, const ExprPointer& b) {
  return loop::binary(ExprOp::less_equal, a, b);
}
ExprPointer equal(const ExprPointer& a, const ExprPointer& b) {
  return loop::binary(ExprOp::equal, a, b);
}
ExprPointer logical_not(const ExprPointer& a) { return loop::unary(ExprOp::bit_not, a); }

ExprPointer sigmoid(const ExprPointer& x) {
  return like(x, 1) / (like(x, 1) + loop::unary(ExprOp::exp, -x));
}

ExprPointer softplus(const ExprPointer& x) {
  // max(x, 0) + log(1 + exp(-|x|))
  const auto tail = loop::unary(
      ExprOp::log, like(x, 1) + loop::unary(ExprOp::exp, -loop::unary(ExprOp::absolute, x)));
  return loop::binary(ExprOp::maximum, x, like(x, 0)) + tail;
}

}  // namespace tenon::ops
