// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(BitwiseAnd) {
  op.name = "bitwise_and";
  op.summary = "y = a and b, bit by bit";
  define_binary(op, "BitwiseAnd", 18, integers(),
                pointwise([](int64_t a, int64_t b) { return a & b; }),
                [](const ExprPointer& a, const ExprPointer& b) {
                  return loop::binary(loop::ExprOp::bit_and, a, b);
                });
  op.examples = {"i8[5] i8[5]", "u8[2,3] u8[3]", "i64[3] i64[1]", "u32[4] u32[4]"};
}

}  // namespace tenon::ops
