// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Exp) {
  op.name = "exp";
  op.summary = "y = exp(x)";
  define_unary(op, "Exp", 1, floats(), pointwise([](double x) { return std::exp(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::exp, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
