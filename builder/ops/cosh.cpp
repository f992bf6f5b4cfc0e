// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Cosh) {
  op.name = "cosh";
  op.summary = "y = cosh(x)";
  define_unary(op, "Cosh", 9, floats(), pointwise([](double x) { return std::cosh(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::cosh, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
