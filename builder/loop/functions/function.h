// SPDX-License-Identifier: Apache-2.0
// The functions as expressions over arithmetic. No loops, tables or calls: every lane does the same.
// Coefficients are interpolations at the Chebyshev nodes of the stated interval, computed with 50 digits
// and rounded to the type; `P(z)` is the polynomial in the formula beside it.
#pragma once

#include "builder/loop/expression.h"

#include <vector>

namespace tenon::loop::functions {

/// A constant of the type of `like`.
ExprPointer number(const ExprPointer& like, double value);
/// coefficients[0] + coefficients[1]*z + ..., by Horner's rule with fused steps.
ExprPointer polynomial(const ExprPointer& z, const std::vector<double>& coefficients);
ExprPointer infinity(const ExprPointer& like);
ExprPointer not_a_number(const ExprPointer& like);
ExprPointer absolute(const ExprPointer& x);
ExprPointer square_root(const ExprPointer& x);
ExprPointer less(const ExprPointer& a, const ExprPointer& b);
ExprPointer equal_to(const ExprPointer& a, const ExprPointer& b);
ExprPointer copy_sign(const ExprPointer& magnitude, const ExprPointer& sign);

// f32 and f64.
ExprPointer exponential(const ExprPointer& x);
ExprPointer logarithm(const ExprPointer& x);
ExprPointer hyperbolic_tangent(const ExprPointer& x);
ExprPointer error_function(const ExprPointer& x);

// f64 only; f32 goes through f64.
ExprPointer sine(const ExprPointer& x);
ExprPointer cosine(const ExprPointer& x);
ExprPointer tangent(const ExprPointer& x);
ExprPointer arc_sine(const ExprPointer& x);
ExprPointer arc_cosine(const ExprPointer& x);
ExprPointer arc_tangent(const ExprPointer& x);
ExprPointer arc_tangent2(const ExprPointer& y, const ExprPointer& x);
ExprPointer hyperbolic_sine(const ExprPointer& x);
ExprPointer hyperbolic_cosine(const ExprPointer& x);
ExprPointer area_sine(const ExprPointer& x);
ExprPointer area_cosine(const ExprPointer& x);
ExprPointer area_tangent(const ExprPointer& x);
ExprPointer power(const ExprPointer& x, const ExprPointer& y);
ExprPointer float_remainder(const ExprPointer& x, const ExprPointer& y);

/// A logarithm as a sum of a rounded part and the rest, for powers.
struct SplitLogarithm {
  ExprPointer high, low;
};
/// Of x > 0, finite; f64.
SplitLogarithm split_logarithm(const ExprPointer& x);

}  // namespace tenon::loop::functions
