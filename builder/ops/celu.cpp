// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>

namespace tenon::ops {

namespace {

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer& x = operands[0];
  const auto alpha = like(x, op.real("alpha"));
  const auto below = alpha * (loop::unary(loop::ExprOp::exp, x / alpha) - like(x, 1));
  return loop::select(less(like(x, 0), x), x, below);
}

Scalar reference(const OpView& op, DataType, const Scalar* operands) {
  const double x = operands[0].real;
  const double alpha = op.real("alpha");
  return {x > 0 ? x : alpha * std::expm1(x / alpha), 0};
}

}  // namespace

TENON_OP(Celu) {
  op.name = "celu";
  op.summary = "y = max(0, x) + min(0, alpha*(exp(x/alpha) - 1))";
  op.inputs = {{"X", floats()}};
  op.attributes = {{"alpha", 1.0}};
  op.onnx_names = {{"Celu", "", 12, import_as("celu")}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3]", "f32[7] {alpha=2.0}", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]"};
}

}  // namespace tenon::ops
