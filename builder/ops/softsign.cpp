// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Softsign) {
  op.name = "softsign";
  op.summary = "y = x / (1 + |x|)";
  define_unary(op, "Softsign", 1, floats(),
               pointwise([](double x) { return x / (1 + std::fabs(x)); }),
               [](const ExprPointer& x) {
                 return x / (like(x, 1) + loop::unary(loop::ExprOp::absolute, x));
               });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
