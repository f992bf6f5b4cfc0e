// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  return x * sigmoid(x * like(x, op.real("alpha")));
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  return {x / (1 + std::exp(-op.real("alpha") * x)), 0};
}

}  // namespace

TENON_OP(Swish) {
  op.name = "swish";
  op.summary = "y = x / (1 + exp(-alpha*x))";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"alpha", 1.0}};
  op.onnx_names = {{"Swish", "", 24, import_as("swish")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {alpha=2.0}", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]"};
}

}  // namespace tenon::ops
