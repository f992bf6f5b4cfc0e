// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  return loop::select(less_equal(x, like(x, op.real("alpha"))), like(x, 0), x);
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  return {x <= op.real("alpha") ? 0 : x, 0};
}

}  // namespace

TENON_OP(ThresholdedRelu) {
  op.name = "thresholded_relu";
  op.summary = "y = x <= alpha ? 0 : x";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"alpha", 1.0}};
  op.onnx_names = {{"ThresholdedRelu", "", 1, import_as("thresholded_relu")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {alpha=0.3}", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]"};
}

}  // namespace tenon::ops
