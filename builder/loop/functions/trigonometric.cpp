// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

namespace tenon::loop::functions {
namespace {

constexpr double kMagic = 0x1.8p52;  // adding it rounds to an integer
constexpr int64_t kMagicBits = 0x4338000000000000;

// x = n pi/2 + r. Sound for |x| <= 2^30; beyond, r is kept in [-pi/4, pi/4], so that results stay
// in
// [-1, 1] though they mean nothing.
struct Reduced {
  ExprPointer sine, cosine;  // of r
  ExprPointer quadrant;      // n, i64; its low two bits matter
};

// sin(r) = r + r^3 S(r^2), cos(r) = 1 - r^2/2 + r^4 C(r^2), on |r| <= pi/4.
Reduced reduce(const ExprPointer& x) {
  ExprPointer shifted = fused_multiply_add(x, number(x, 0.6366197723675814), number(x, kMagic));
  ExprPointer n = shifted - number(x, kMagic);
  // pi/2 in three parts; the first step is exact.
  ExprPointer r = fused_multiply_add(n, number(x, -1.5707963267948966), x);
  r = fused_multiply_add(n, number(x, -6.123233995736766e-17), r);
  r = fused_multiply_add(n, number(x, 1.4973849048591698e-33), r);
  constexpr double kBound = 0.78539816339744840;
  r = binary(ExprOp::minimum, binary(ExprOp::maximum, r, number(x, -kBound)), number(x, kBound));
  ExprPointer z = r * r;
  ExprPointer s = polynomial(
      z, {-0.16666666666666666, 0.008333333333333331, -0.0001984126984126504, 2.755731921932058e-06,
          -2.50521062259944e-08, 1.6058530596645953e-10, -7.586636882825159e-13});
  ExprPointer c =
      polynomial(z, {0.041666666666666664, -0.0013888888888888887, 2.4801587301584632e-05,
                     -2.755731922139249e-07, 2.0876755787492604e-09, -1.1470460319209511e-11,
                     4.745838412531023e-14});
  ExprPointer sine = fused_multiply_add(r * z, s, r);
  ExprPointer cosine =
      fused_multiply_add(z * z, c, fused_multiply_add(z, number(x, -0.5), number(x, 1)));
  ExprPointer quadrant = bitcast(DataType::i64, shifted) - index_constant(kMagicBits);
  return {sine, cosine, quadrant};
}

ExprPointer has_bit(const ExprPointer& integer, int64_t bit) {
  return equal_to(binary(ExprOp::bit_and, integer, index_constant(bit)), index_constant(bit));
}

// The sine of x + shift*pi/2.
ExprPointer shifted_sine(const ExprPointer& x, int64_t shift) {
  Reduced reduced = reduce(x);
  ExprPointer quadrant = reduced.quadrant + index_constant(shift);
  ExprPointer value = select(has_bit(quadrant, 1), reduced.cosine, reduced.sine);
  return select(has_bit(quadrant, 2), -value, value);
}

}  // namespace

// Relative error at most 4 ULP for |x| <= 2^30.
ExprPointer sine(const ExprPointer& x) {
  // The reduction turns -0 into 0.
  return select(equal_to(x, number(x, 0)), x, shifted_sine(x, 0));
}
ExprPointer cosine(const ExprPointer& x) { return shifted_sine(x, 1); }

// tan = sin/cos, or -cos/sin in odd quadrants. Relative error at most 4 ULP for |x| <= 2^30.
ExprPointer tangent(const ExprPointer& x) {
  Reduced reduced = reduce(x);
  ExprPointer odd = has_bit(reduced.quadrant, 1);
  ExprPointer numerator = select(odd, -reduced.cosine, reduced.sine);
  ExprPointer value = numerator / select(odd, reduced.sine, reduced.cosine);
  return select(equal_to(x, number(x, 0)), x, value);
}

}  // namespace tenon::loop::functions
