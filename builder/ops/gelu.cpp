// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  const auto half = like(x, 0.5), one = like(x, 1);
  if (op.text("approximate") == "tanh") {
    const auto inner = like(x, std::sqrt(2 / M_PI)) * (x + like(x, 0.044715) * x * x * x);
    return half * x * (one + loop::unary(loop::ExprOp::tanh, inner));
  }
  return half * x * (one + loop::unary(loop::ExprOp::erf, x * like(x, std::sqrt(0.5))));
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  if (op.text("approximate") == "tanh") {
    return {x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))), 0};
  }
  return {x / 2 * (1 + std::erf(x / std::sqrt(2))), 0};
}

}  // namespace

TENON_OP(Gelu) {
  op.name = "gelu";
  op.summary = "y = x/2 * (1 + erf(x/sqrt(2))), or its tanh form";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"approximate", std::string("none")}};
  op.onnx_names = {{"Gelu", "", 20, import_as("gelu")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {approximate=\"tanh\"}", "f64[7]", "f16[2,3]", "bf16[5]",
                 "f32[0,3]"};
}

}  // namespace tenon::ops
