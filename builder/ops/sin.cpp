// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Sin) {
  op.name = "sin";
  op.summary = "y = sin(x)";
  define_unary(op, "Sin", 7, floats(), pointwise([](double x) { return std::sin(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::sin, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
