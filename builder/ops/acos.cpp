// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Acos) {
  op.name = "acos";
  op.summary = "y = acos(x)";
  define_unary(op, "Acos", 7, floats(), pointwise([](double x) { return std::acos(x); }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::acos, x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
