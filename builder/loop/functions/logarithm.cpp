// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

namespace tenon::loop::functions {
namespace {

constexpr double kLn2High32 = 0.693145751953125, kLn2Low32 = 1.4286068203094173e-06;
constexpr double kLn2High64 = 0x1.62e42fefp-1, kLn2Low64 = 0x1.473de6af278edp-34;

// x = 2^exponent * (1 + fraction), 1 + fraction in [sqrt(1/2), sqrt(2)).
struct Parts {
  ExprPointer exponent, fraction;
};

Parts split(const ExprPointer& x) {
  bool narrow = x->type == DataType::f32;
  DataType integer = narrow ? DataType::i32 : DataType::i64;
  int mantissa_bits = narrow ? 23 : 52;
  double scale = narrow ? 0x1p23 : 0x1p52;
  // The bits of sqrt(1/2): subtracting them rounds the exponent at sqrt(2) instead of 2.
  int64_t root_bits = narrow ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  ExprPointer subnormal = less(x, number(x, narrow ? 0x1p-126 : 0x1p-1022));
  ExprPointer normal = select(subnormal, x * number(x, scale), x);
  ExprPointer bits = bitcast(integer, normal);
  ExprPointer width = integer_constant(integer, mantissa_bits);
  ExprPointer exponent =
      binary(ExprOp::shift_right, bits - integer_constant(integer, root_bits), width);
  ExprPointer mantissa = bitcast(x->type, bits - binary(ExprOp::shift_left, exponent, width));
  // The exponent fits 32 bits, whose conversion every vector unit has.
  ExprPointer count = cast(x->type, cast(DataType::i32, exponent));
  return {select(subnormal, count - number(x, mantissa_bits), count), mantissa - number(x, 1)};
}

ExprPointer with_special_values(const ExprPointer& x, const ExprPointer& result) {
  ExprPointer zero = number(x, 0);
  ExprPointer finite = select(less(x, infinity(x)), result, x);
  ExprPointer above_zero = select(equal_to(x, zero), -infinity(x), finite);
  return select(less(x, zero), not_a_number(x), above_zero);
}

// log(1+f) = f - f^2/2 + f^3 P(f), P on [sqrt(1/2)-1, sqrt(2)-1].  Error: at most 2 ULP.
ExprPointer logarithm32(const ExprPointer& x) {
  Parts parts = split(x);
  const ExprPointer& f = parts.fraction;
  ExprPointer square = f * f;
  ExprPointer tail =
      f * square *
      polynomial(f, {0.3333333134651184, -0.2499999701976776, 0.20000715553760529,
                     -0.1666780263185501, 0.14249058067798615, -0.12425687164068222,
                     0.11685419827699661, -0.11479733884334564, 0.06971611827611923});
  tail = fused_multiply_add(parts.exponent, number(x, kLn2Low32), tail);
  tail = fused_multiply_add(square, number(x, -0.5), tail);
  return with_special_values(x,
                             fused_multiply_add(parts.exponent, number(x, kLn2High32), f + tail));
}

// What log(1+f) lacks to f: s*(f^2/2 + R) - f^2/2, where s = f/(2+f) and
// log((1+s)/(1-s)) = 2s + s*R, R = s^2 P(s^2), P on [0, 0.0297].
ExprPointer fraction_tail(const ExprPointer& f) {
  ExprPointer s = f / (f + number(f, 2));
  ExprPointer z = s * s;
  ExprPointer r = z * polynomial(z, {0.6666666666666666, 0.4000000000000094, 0.2857142857076445,
                                     0.2222222240054776, 0.181817947008978, 0.15386290534658992,
                                     0.13267418596474884, 0.1310072138350349});
  ExprPointer half_square = number(f, 0.5) * f * f;
  return fused_multiply_add(s, half_square + r, -half_square);
}

// Error: at most 1 ULP.
ExprPointer logarithm64(const ExprPointer& x) {
  Parts parts = split(x);
  ExprPointer tail = fraction_tail(parts.fraction);
  tail = fused_multiply_add(parts.exponent, number(x, kLn2Low64), tail);
  ExprPointer sum = parts.fraction + tail;
  return with_special_values(x, fused_multiply_add(parts.exponent, number(x, kLn2High64), sum));
}

}  // namespace

ExprPointer logarithm(const ExprPointer& x) {
  return x->type == DataType::f32 ? logarithm32(x) : logarithm64(x);
}

SplitLogarithm split_logarithm(const ExprPointer& x) {
  Parts parts = split(x);
  // The product has few enough bits to be exact; its sum with the fraction is taken with its error.
  ExprPointer whole = parts.exponent * number(x, kLn2High64);
  ExprPointer sum = whole + parts.fraction;
  ExprPointer part = sum - whole;
  ExprPointer error = (whole - (sum - part)) + (parts.fraction - part);
  ExprPointer tail = fused_multiply_add(parts.exponent, number(x, kLn2Low64),
                                        fraction_tail(parts.fraction) + error);
  ExprPointer high = sum + tail;
  ExprPointer carried = high - sum;
  return {high, (sum - (high - carried)) + (tail - carried)};
}

}  // namespace tenon::loop::functions
