// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Less) {
  op.name = "less";
  op.summary = "y = a < b";
  define_binary(
      op, "Less", 7, numbers(), pointwise([](auto a, auto b) { return a < b; }),
      [](const ExprPointer& a, const ExprPointer& b) { return less(a, b); }, DataType::boolean);
  op.examples = {"f32[2,3] f32[2,3]", "f32[2,1] f32[1,3]", "f64[3] f64[]",     "f16[2,3] f16[3]",
                 "bf16[2] bf16[2]",   "i8[5] i8[5]",       "u8[5] u8[5]",      "u64[3] u64[3]",
                 "i64[2,3] i64[3]",   "f32[0,3] f32[3]",   "f32[N,3] f32[N,1]"};
}

}  // namespace tenon::ops
