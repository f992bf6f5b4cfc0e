// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Abs) {
  op.name = "abs";
  op.summary = "y = |x|";
  define_unary(
      op, "Abs", 1, numbers(),
      pointwise(overloaded{[](double x) { return std::fabs(x); }, [](uint64_t x) { return x; },
                           [](int64_t x) {
                             return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
                           }}),
      [](const ExprPointer& x) {
        return is_unsigned_integer(x->type) ? x : loop::unary(loop::ExprOp::absolute, x);
      });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "i8[5]",
                 "u8[5]",    "i64[3]", "u64[3]",   "f32[0,3]"};
}

}  // namespace tenon::ops
