// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Cos) {
  op.name = "cos";
  op.summary = "y = cos(x)";
  define_unary(op, "Cos", 7, floats(), pointwise([](double x) { return std::cos(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::cos, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
