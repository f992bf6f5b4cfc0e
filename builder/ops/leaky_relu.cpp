// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  return loop::select(less(x, like(x, 0)), x * like(x, op.real("alpha")), x);
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  return {x < 0 ? op.real("alpha") * x : x, 0};
}

}  // namespace

TENON_OP(LeakyRelu) {
  op.name = "leaky_relu";
  op.summary = "y = x < 0 ? alpha*x : x";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"alpha", 0.01}};
  op.onnx_names = {{"LeakyRelu", "", 1, import_as("leaky_relu")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {alpha=0.3}", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]"};
}

}  // namespace tenon::ops
