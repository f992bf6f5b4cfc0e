// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  const auto line = x * like(x, op.real("alpha")) + like(x, op.real("beta"));
  const auto capped = loop::binary(loop::ExprOp::minimum, line, like(x, 1));
  return loop::binary(loop::ExprOp::maximum, capped, like(x, 0));
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  const double line = op.real("alpha") * x + op.real("beta");
  return {line < 0 ? 0 : line > 1 ? 1 : line, 0};
}

}  // namespace

TENON_OP(HardSigmoid) {
  op.name = "hard_sigmoid";
  op.summary = "y = max(0, min(1, alpha*x + beta))";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"alpha", 0.2}, {"beta", 0.5}};
  op.onnx_names = {{"HardSigmoid", "", 1, import_as("hard_sigmoid")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {alpha=0.5,beta=0.6}", "f64[7]", "f16[2,3]", "bf16[5]",
                 "f32[0,3]"};
}

}  // namespace tenon::ops
