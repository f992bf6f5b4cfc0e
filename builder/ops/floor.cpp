// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Floor) {
  op.name = "floor";
  op.summary = "y = floor(x)";
  define_unary(op, "Floor", 1, floats(), pointwise([](double x) { return std::floor(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::floor, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
