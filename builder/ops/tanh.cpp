// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Tanh) {
  op.name = "tanh";
  op.summary = "y = tanh(x)";
  define_unary(op, "Tanh", 1, floats(), pointwise([](double x) { return std::tanh(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::tanh, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
