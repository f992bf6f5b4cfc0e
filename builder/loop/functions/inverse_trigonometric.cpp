// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

namespace tenon::loop::functions {
namespace {

constexpr double kPi = 3.141592653589793, kPiLow = 1.2246467991473532e-16;
constexpr double kHalfPi = 1.5707963267948966, kHalfPiLow = 6.123233995736766e-17;
constexpr double kQuarterPi = 0.7853981633974483, kQuarterPiLow = 3.061616997868383e-17;

// asin(x) = x + x^3 P(x^2), P on |x| <= 1/2; gives x^2 P(x^2).
ExprPointer arc_sine_tail(const ExprPointer& z) {
  return z * polynomial(z, {0.16666666666666666, 0.07499999999999991, 0.04464285714288344,
                            0.03038194444135946, 0.02237215927992726, 0.017352757469424038,
                            0.013965010116088524, 0.011549083883413875, 0.00979277945213322,
                            0.008135626216062262, 0.008796038691242429, 0.0003772661622478994,
                            0.02256169555253203, -0.02403138187350459, 0.030725206227297092});
}

// atan of a in [0, 1], with quarter and half turns added exactly enough:
// beyond tan(pi/8), atan(a) = pi/4 + atan((a-1)/(a+1)).
ExprPointer arc_tangent_of_unit(const ExprPointer& a) {
  ExprPointer one = number(a, 1);
  ExprPointer far = less(number(a, 0.41421356237309503), a);
  ExprPointer u = select(far, (a - one) / (a + one), a);
  ExprPointer z = u * u;
  ExprPointer p = polynomial(
      z, {-0.3333333333333333, 0.199999999999998, -0.14285714285659326, 0.11111111105106705,
          -0.09090908751076636, 0.0769229630497447, -0.06666423628069258, 0.058789145444006215,
          -0.052303478730160745, 0.04551108126325172, -0.034558092551413795, 0.01627194475162406});
  ExprPointer near = fused_multiply_add(u * z, p, u);
  return select(far, number(a, kQuarterPi) + (near + number(a, kQuarterPiLow)), near);
}

}  // namespace

// asin(x) = pi/2 - 2 asin(sqrt((1-x)/2)) beyond 1/2. Error at most 4 ULP.
ExprPointer arc_sine(const ExprPointer& x) {
  ExprPointer a = absolute(x);
  ExprPointer large = less(number(x, 0.5), a);
  ExprPointer half = (number(x, 1) - a) * number(x, 0.5);
  ExprPointer z = select(large, half, x * x);
  ExprPointer base = select(large, square_root(half), a);
  ExprPointer value = fused_multiply_add(base, arc_sine_tail(z), base);
  ExprPointer folded = number(x, kHalfPi) - (value + value - number(x, kHalfPiLow));
  return copy_sign(select(large, folded, value), x);
}

// acos(x) = pi/2 - asin(x) near 0, 2 asin(sqrt((1-x)/2)) above 1/2, pi - 2 asin(sqrt((1+x)/2))
// below -1/2. Error at most 4 ULP.
ExprPointer arc_cosine(const ExprPointer& x) {
  ExprPointer a = absolute(x);
  ExprPointer large = less(number(x, 0.5), a);
  ExprPointer half = (number(x, 1) - a) * number(x, 0.5);
  ExprPointer z = select(large, half, x * x);
  ExprPointer base = select(large, square_root(half), x);
  ExprPointer value = fused_multiply_add(base, arc_sine_tail(z), base);
  ExprPointer twice = value + value;
  ExprPointer below = number(x, kPi) - (twice - number(x, kPiLow));
  ExprPointer near = number(x, kHalfPi) - (value - number(x, kHalfPiLow));
  return select(large, select(less(x, number(x, 0)), below, twice), near);
}

// Error at most 4 ULP.
ExprPointer arc_tangent(const ExprPointer& x) {
  ExprPointer a = absolute(x), one = number(x, 1);
  ExprPointer large = less(one, a);
  ExprPointer inner = arc_tangent_of_unit(select(large, one / a, a));
  ExprPointer folded = number(x, kHalfPi) - (inner - number(x, kHalfPiLow));
  return copy_sign(select(large, folded, inner), x);
}

// The angle of (x, y), with C's values on the axes and at infinity. Error at most 4 ULP.
ExprPointer arc_tangent2(const ExprPointer& y, const ExprPointer& x) {
  ExprPointer ax = absolute(x), ay = absolute(y);
  ExprPointer steep = less(ax, ay);
  ExprPointer smaller = select(steep, ax, ay), larger = select(steep, ay, ax);
  ExprPointer zero = number(x, 0), one = number(x, 1);
  ExprPointer ratio = select(equal_to(larger, zero), zero, smaller / larger);
  ratio = select(equal_to(smaller, infinity(x)), one, ratio);
  ExprPointer inner = arc_tangent_of_unit(ratio);
  ExprPointer angle = select(steep, number(x, kHalfPi) - (inner - number(x, kHalfPiLow)), inner);
  ExprPointer left = less(copy_sign(one, x), zero);
  angle = select(left, number(x, kPi) - (angle - number(x, kPiLow)), angle);
  ExprPointer unordered =
      binary(ExprOp::bit_or, unary(ExprOp::is_nan, x), unary(ExprOp::is_nan, y));
  return select(unordered, not_a_number(x), copy_sign(angle, y));
}

}  // namespace tenon::loop::functions
