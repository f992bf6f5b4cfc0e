// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  const auto below = like(x, op.real("alpha")) * (loop::unary(loop::ExprOp::exp, x) - like(x, 1));
  return loop::select(less(x, like(x, 0)), below, x);
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  return {x < 0 ? op.real("alpha") * std::expm1(x) : x, 0};
}

}  // namespace

TENON_OP(Elu) {
  op.name = "elu";
  op.summary = "y = x < 0 ? alpha*(exp(x) - 1) : x";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"alpha", 1.0}};
  op.onnx_names = {{"Elu", "", 1, import_as("elu")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {alpha=2.0}", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]"};
}

}  // namespace tenon::ops
