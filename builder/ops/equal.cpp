// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/shape_arithmetic.h"

namespace tenon::ops {
namespace {

/// Dims are not negative, so that a sum of positive terms is no negative number.
std::optional<Dim> known(const Dim& a, const Dim& b) {
  if (a == b) return Dim(1);
  if (a.is_constant() && b.is_constant()) return Dim(0);
  const auto not_negative = [](const Dim& dim) {
    bool result = dim.constant() >= 0;
    if (dim.is_constant()) return result;
    for (const auto& term : dim.terms()) result = result && term.second > 0;
    return result;
  };
  const auto negative = [](const Dim& dim) { return dim.is_constant() && dim.constant() < 0; };
  if ((negative(a) && not_negative(b)) || (negative(b) && not_negative(a))) return Dim(0);
  return std::nullopt;
}

}  // namespace

TENON_OP(Equal) {
  op.name = "equal";
  op.summary = "y = a = b";
  define_binary(
      op, "Equal", 7, all_types(), pointwise([](auto a, auto b) { return a == b; }),
      [](const ExprPointer& a, const ExprPointer& b) { return equal(a, b); }, DataType::boolean);
  op.known_elements = known_pairwise(known);
  op.examples = {"f32[2,3] f32[2,3]", "f32[2,1] f32[1,3]", "f64[3] f64[]",      "f16[2,3] f16[3]",
                 "bf16[2] bf16[2]",   "i8[5] i8[5]",       "u8[5] u8[5]",       "u64[3] u64[3]",
                 "i64[2,3] i64[3]",   "f32[0,3] f32[3]",   "f32[N,3] f32[N,1]", "bool[4] bool[4]"};
}

}  // namespace tenon::ops
