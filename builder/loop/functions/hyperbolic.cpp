// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

namespace tenon::loop::functions {
namespace {

constexpr double kLn2 = 0.6931471805599453;

// log(1+u) = log(w) * u / (w-1), w = 1+u rounded: the rounding of w cancels.
ExprPointer logarithm_of_one_plus(const ExprPointer& u) {
  ExprPointer one = number(u, 1);
  ExprPointer w = u + one;
  ExprPointer corrected = logarithm(w) * (u / (w - one));
  ExprPointer finite = select(equal_to(w, one), u, corrected);
  return select(equal_to(w, infinity(u)), w, finite);
}

// exp(|x|)/2. Beyond 512 the exact constant exp(512)/2 takes part of it, so that only a result that
// is too large overflows.
ExprPointer half_exponential(const ExprPointer& a) {
  ExprPointer large = less(number(a, 512), a);
  ExprPointer reduced = select(large, a - number(a, 512), a);
  return exponential(reduced) * select(large, number(a, 1.1422067932698783e+222), number(a, 0.5));
}

}  // namespace

// Near 0: tanh(x) = x + x^3 P(x^2), P on |x| <= 0.55 (f32) or 0.35 (f64); else 1 - 2/(exp(2|x|) +
// 1). Error: at most 2 ULP in f32, 4 ULP in f64.
ExprPointer hyperbolic_tangent(const ExprPointer& x) {
  bool narrow = x->type == DataType::f32;
  ExprPointer a = absolute(x);
  ExprPointer z = x * x;
  ExprPointer p =
      narrow ? polynomial(z, {-0.3333333134651184, 0.13333113491535187, -0.05390942841768265,
                              0.021309388801455498, -0.00661022774875164})
             : polynomial(z, {-0.3333333333333333, 0.13333333333333325, -0.05396825396823429,
                              0.021869488534094008, -0.00886323542012054, 0.003592124671811877,
                              -0.001455771422849912, 0.0005892946010574754, -0.00023392416061023992,
                              7.595184161278637e-05});
  ExprPointer small = fused_multiply_add(a * z, p, a);
  ExprPointer one = number(x, 1);
  ExprPointer large = one - number(x, 2) / (exponential(a + a) + one);
  return copy_sign(select(less(a, number(x, narrow ? 0.55 : 0.35)), small, large), x);
}

// Near 0: sinh(x) = x + x^3 P(x^2), P on |x| <= 1; else exp(|x|)/2 - exp(-|x|)/2.
ExprPointer hyperbolic_sine(const ExprPointer& x) {
  ExprPointer a = absolute(x);
  ExprPointer z = x * x;
  ExprPointer p =
      polynomial(z, {0.16666666666666666, 0.008333333333333333, 0.00019841269841269773,
                     2.755731922404034e-06, 2.505210836405804e-08, 1.6059048396350562e-10,
                     7.646625361656657e-13, 2.8445264169895285e-15});
  ExprPointer small = fused_multiply_add(a * z, p, a);
  ExprPointer half = half_exponential(a);
  ExprPointer large = half - number(x, 0.25) / half;
  return copy_sign(select(less(a, number(x, 1)), small, large), x);
}

// cosh(x) = exp(|x|)/2 + exp(-|x|)/2
ExprPointer hyperbolic_cosine(const ExprPointer& x) {
  ExprPointer half = half_exponential(absolute(x));
  return half + number(x, 0.25) / half;
}

// asinh(a) = log(1 + a + a^2/(1 + sqrt(1 + a^2))); log(a) + log(2) where a^2 would overflow.
ExprPointer area_sine(const ExprPointer& x) {
  ExprPointer a = absolute(x), one = number(x, 1);
  ExprPointer square = a * a;
  ExprPointer usual = logarithm_of_one_plus(a + square / (one + square_root(one + square)));
  ExprPointer large = logarithm(a) + number(x, kLn2);
  return copy_sign(select(less(a, number(x, 0x1p60)), usual, large), x);
}

// acosh(x) = log(1 + t + sqrt(2t + t^2)), t = x - 1; log(x) + log(2) for large x; NaN below 1.
ExprPointer area_cosine(const ExprPointer& x) {
  ExprPointer t = x - number(x, 1);
  ExprPointer usual = logarithm_of_one_plus(t + square_root(fused_multiply_add(t, t, t + t)));
  ExprPointer large = logarithm(x) + number(x, kLn2);
  ExprPointer inside = select(less(x, number(x, 0x1p60)), usual, large);
  return select(less(x, number(x, 1)), not_a_number(x), inside);
}

// atanh(a) = log(1 + 2a/(1-a)) / 2
ExprPointer area_tangent(const ExprPointer& x) {
  ExprPointer a = absolute(x);
  ExprPointer u = (a + a) / (number(x, 1) - a);
  return copy_sign(number(x, 0.5) * logarithm_of_one_plus(u), x);
}

}  // namespace tenon::loop::functions
