// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Sign) {
  op.name = "sign";
  op.summary = "y = -1, 0 or 1 as x is negative, zero or positive; NaN stays";
  define_unary(op, "Sign", 9, numbers(), pointwise([](auto x) {
                 using T = decltype(x);
                 return x > 0 ? T(1) : x < 0 ? static_cast<T>(-1) : x;
               }),
               [](const ExprPointer& x) {
                 const ExprPointer zero = like(x, 0);
                 const ExprPointer upper = loop::select(less(zero, x), like(x, 1), x);
                 if (is_unsigned_integer(x->type)) return upper;
                 return loop::select(less(x, zero), like(x, -1), upper);
               });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "i8[5]", "u8[5]", "i64[3]", "u64[3]"};
}

}  // namespace tenon::ops
