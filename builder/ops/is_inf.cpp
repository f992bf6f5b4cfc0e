// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>
#include <limits>

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  ExprPointer result = loop::integer_constant(DataType::boolean, 0);
  const auto accept = [&](double value) {
    result = loop::binary(loop::ExprOp::bit_or, result, equal(x, like(x, value)));
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (op.integer("detect_positive")) accept(infinity);
  if (op.integer("detect_negative")) accept(-infinity);
  return result;
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  const bool positive = std::isinf(x) && x > 0 && op.integer("detect_positive");
  const bool negative = std::isinf(x) && x < 0 && op.integer("detect_negative");
  return {0, positive || negative};
}

}  // namespace

TENON_OP(IsInf) {
  op.name = "is_inf";
  op.summary = "y = x is infinite, of the signs asked for";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"detect_negative", int64_t{1}}, {"detect_positive", int64_t{1}}};
  op.onnx_names = {{"IsInf", "", 10, import_as("is_inf")}};
  define_elementwise(op, reference, scalar, DataType::boolean);
  op.examples = {"f32[2,3]", "f32[7] {detect_negative=0}", "f64[7]", "f16[2,3]", "bf16[5]",
                 "f32[0,3]"};
}

}  // namespace tenon::ops
