// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(IsNaN) {
  op.name = "is_nan";
  op.summary = "y = x is not a number";
  define_unary(
      op, "IsNaN", 9, floats(), pointwise([](double x) { return std::isnan(x); }),
      [](const ExprPointer& x) { return loop::unary(loop::ExprOp::is_nan, x); }, DataType::boolean);
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
