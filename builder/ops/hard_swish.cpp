// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(HardSwish) {
  op.name = "hard_swish";
  op.summary = "y = x * max(0, min(1, x/6 + 0.5))";
  define_unary(op, "HardSwish", 14, floats(), pointwise([](double x) {
                 const double gate = x / 6 + 0.5;
                 return x * (gate < 0 ? 0 : gate > 1 ? 1 : gate);
               }),
               [](const ExprPointer& x) {
                 const auto gate = x * like(x, 1.0 / 6) + like(x, 0.5);
                 const auto capped = loop::binary(loop::ExprOp::minimum, gate, like(x, 1));
                 return x * loop::binary(loop::ExprOp::maximum, capped, like(x, 0));
               });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
