// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"
#include "builder/ops/shape_arithmetic.h"

namespace tenon::ops {

TENON_OP(Add) {
  op.name = "add";
  op.summary = "y = a + b";
  define_binary(op, "Add", 7, numbers(),
                pointwise(overloaded{[](double a, double b) { return a + b; },
                                     [](int64_t a, int64_t b) {
                                       return static_cast<int64_t>(static_cast<uint64_t>(a) +
                                                                   static_cast<uint64_t>(b));
                                     }}),
                [](const ExprPointer& a, const ExprPointer& b) { return a + b; });
  op.is_commutative = true;
  op.known_elements =
      known_pairwise([](const Dim& a, const Dim& b) { return std::optional(a + b); });
  op.examples = {"f32[2,3] f32[2,3]", "f32[2,3] f32[3]", "f32[2,1] f32[1,3]", "f64[3] f64[]",
                 "f16[2,3] f16[3]",   "bf16[2] bf16[2]", "i8[5] i8[5]",       "u64[3] u64[3]",
                 "i64[2,3] i64[3]",   "f32[0,3] f32[3]", "f32[N,3] f32[N,1]"};
}

}  // namespace tenon::ops
