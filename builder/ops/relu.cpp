// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Relu) {
  op.name = "relu";
  op.summary = "y = max(x, 0)";
  define_unary(
      op, "Relu", 1, signed_numbers(), pointwise([](auto x) { return x < 0 ? decltype(x)(0) : x; }),
      [](const ExprPointer& x) { return loop::binary(loop::ExprOp::maximum, x, like(x, 0)); });
  op.examples = {"f32[2,3]", "f64[4]", "f16[2,3]", "bf16[5]", "i32[2,3]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
