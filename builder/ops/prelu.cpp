// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(PRelu) {
  op.name = "prelu";
  op.summary = "y = x < 0 ? slope*x : x";
  define_binary(
      op, "PRelu", 1, signed_numbers(),
      pointwise(overloaded{[](double x, double slope) { return x < 0 ? slope * x : x; },
                           [](int64_t x, int64_t slope) {
                             return x < 0 ? static_cast<int64_t>(static_cast<uint64_t>(x) *
                                                                 static_cast<uint64_t>(slope))
                                          : x;
                           }}),
      [](const ExprPointer& a, const ExprPointer& b) {
        return loop::select(less(a, like(a, 0)), a * b, a);
      });
  op.examples = {"f32[2,3,4] f32[3,1]", "f64[3] f64[1]", "f16[2,3] f16[3]", "i32[4] i32[1]"};
}

}  // namespace tenon::ops
