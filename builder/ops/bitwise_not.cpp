// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(BitwiseNot) {
  op.name = "bitwise_not";
  op.summary = "y = every bit of x inverted";
  define_unary(op, "BitwiseNot", 18, integers(), pointwise([](int64_t x) { return ~x; }),
               [](const ExprPointer& x) { return loop::unary(loop::ExprOp::bit_not, x); });
  op.examples = {"i8[5]", "u8[5]", "i64[3]", "u32[3]"};
}

}  // namespace tenon::ops
