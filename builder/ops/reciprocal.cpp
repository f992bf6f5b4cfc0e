// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Reciprocal) {
  op.name = "reciprocal";
  op.summary = "y = 1 / x";
  define_unary(op, "Reciprocal", 1, floats(), pointwise([](double x) { return 1 / x; }),
               [](const ExprPointer& x) { return like(x, 1) / x; });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
