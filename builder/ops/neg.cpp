// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Neg) {
  op.name = "neg";
  op.summary = "y = -x";
  define_unary(op, "Neg", 1, signed_numbers(),
               pointwise(overloaded{
                   [](double x) { return -x; },
                   [](int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }}),
               [](const ExprPointer& x) { return -x; });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "i32[5]", "i8[5]", "i64[3]", "f32[0,3]"};
}

}  // namespace tenon::ops
