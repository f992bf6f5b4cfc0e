// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  const auto bias = like(x, op.real("bias")), lambd = like(x, op.real("lambd"));
  const auto inside = loop::select(loop::unary(loop::ExprOp::is_nan, x), x, like(x, 0));
  const auto upper = loop::select(less(lambd, x), x - bias, inside);
  return loop::select(less(x, -lambd), x + bias, upper);
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  const double bias = op.real("bias"), lambd = op.real("lambd");
  if (std::isnan(x)) return {x, 0};
  return {x < -lambd ? x + bias : x > lambd ? x - bias : 0, 0};
}

}  // namespace

TENON_OP(Shrink) {
  op.name = "shrink";
  op.summary = "y = x < -lambd ? x + bias : x > lambd ? x - bias : 0; NaN stays";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"bias", 0.0}, {"lambd", 0.5}};
  op.onnx_names = {{"Shrink", "", 9, import_as("shrink")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {bias=0.5,lambd=0.25}", "f64[7]", "f16[2,3]", "bf16[5]",
                 "f32[0,3]"};
}

}  // namespace tenon::ops
