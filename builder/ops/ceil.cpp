// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Ceil) {
  op.name = "ceil";
  op.summary = "y = ceil(x)";
  define_unary(op, "Ceil", 1, floats(), pointwise([](double x) { return std::ceil(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::ceil, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
