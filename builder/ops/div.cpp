// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/shape_arithmetic.h"

namespace tenon::ops {

TENON_OP(Div) {
  op.name = "div";
  op.summary = "y = a / b; integers: towards zero, and 0 for a divisor of 0";
  define_binary(op, "Div", 7, numbers(),
                pointwise(overloaded{[](double a, double b) { return a / b; },
                                     [](uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; },
                                     [](int64_t a, int64_t b) {
                                       if (b == 0) return int64_t{0};
                                       if (b == -1) {
                                         return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
                                       }
                                       return a / b;
                                     }}),
                [](const ExprPointer& a, const ExprPointer& b) { return a / b; });
  op.known_elements = known_pairwise([](const Dim& a, const Dim& b) -> std::optional<Dim> {
    if (const auto exact = Dim::exact_div(a, b)) return exact;
    // Dims are not negative, so that towards zero is downwards.
    if (b.is_constant() && b.constant() > 0) {
      if (!a.is_constant() || a.constant() >= 0) return Dim::floor_div(a, b);
      return Dim(a.constant() / b.constant());
    }
    return std::nullopt;
  });
  op.examples = {"f32[2,3] f32[2,3]", "f32[2,1] f32[1,3]", "f64[3] f64[]",     "f16[2,3] f16[3]",
                 "bf16[2] bf16[2]",   "i8[5] i8[5]",       "u8[5] u8[5]",      "u64[3] u64[3]",
                 "i64[2,3] i64[3]",   "f32[0,3] f32[3]",   "f32[N,3] f32[N,1]"};
}

}  // namespace tenon::ops
