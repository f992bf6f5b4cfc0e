// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Round) {
  op.name = "round";
  op.summary = "y = x rounded to the nearest integer, ties to even";
  define_unary(op, "Round", 11, floats(), pointwise([](double x) { return std::nearbyint(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::round_even, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
