// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

namespace tenon::loop::functions {
namespace {

ExprPointer if_positive(const ExprPointer& y, const ExprPointer& so, const ExprPointer& otherwise) {
  return select(less(number(y, 0), y), so, otherwise);
}

}  // namespace

// |x|^y = exp(y log|x|), the logarithm and the product in two parts. Relative error at most 4e-15.
// C's pow for zeros, infinities, NaN and negative x.
ExprPointer power(const ExprPointer& x, const ExprPointer& y) {
  ExprPointer zero = number(x, 0), one = number(x, 1), top = infinity(x);
  ExprPointer a = absolute(x);
  SplitLogarithm log = split_logarithm(a);
  ExprPointer product = y * log.high;
  ExprPointer rest = fused_multiply_add(y, log.low, fused_multiply_add(y, log.high, -product));
  ExprPointer whole = exponential(product);
  // Beyond this the result is 0 or infinity, and the rest may be no number.
  ExprPointer bounded =
      binary(ExprOp::bit_and, less(absolute(product), number(x, 746)), less(whole, top));
  ExprPointer result = select(bounded, fused_multiply_add(whole, rest, whole), whole);

  result = select(equal_to(a, zero), if_positive(y, zero, top), result);
  result = select(equal_to(a, top), if_positive(y, top, zero), result);
  ExprPointer grows = equal_to(less(one, a), less(zero, y));
  ExprPointer at_limit = select(equal_to(a, one), one, select(grows, top, zero));
  result = select(equal_to(absolute(y), top), at_limit, result);

  ExprPointer whole_y = equal_to(unary(ExprOp::floor, y), y);
  ExprPointer half = y * number(x, 0.5);
  ExprPointer even = equal_to(unary(ExprOp::floor, half), half);
  ExprPointer odd = binary(ExprOp::bit_and, whole_y, unary(ExprOp::bit_not, even));
  result = select(odd, copy_sign(result, x), result);
  ExprPointer fractional =
      binary(ExprOp::bit_and, binary(ExprOp::bit_and, less(x, zero), less(a, top)),
             binary(ExprOp::bit_and, unary(ExprOp::bit_not, whole_y), less(zero, a)));
  result = select(fractional, not_a_number(x), result);
  ExprPointer unordered =
      binary(ExprOp::bit_or, unary(ExprOp::is_nan, x), unary(ExprOp::is_nan, y));
  result = select(unordered, not_a_number(x), result);
  return select(binary(ExprOp::bit_or, equal_to(y, zero), equal_to(x, one)), one, result);
}

// C's fmod: exact while |x/y| < 2^150, by three steps that each take off 52 bits of the quotient.
ExprPointer float_remainder(const ExprPointer& x, const ExprPointer& y) {
  ExprPointer zero = number(x, 0), b = absolute(y);
  ExprPointer r = absolute(x);
  for (int step = 0; step < 3; ++step) {
    ExprPointer quotient = unary(ExprOp::truncate, r / b);
    r = fused_multiply_add(-quotient, b, r);
  }
  // A rounded quotient may leave a rest below zero.
  r = select(less(r, zero), r + b, r);
  ExprPointer unchanged = binary(ExprOp::bit_and, equal_to(b, infinity(x)), less(absolute(x), b));
  r = select(unchanged, absolute(x), r);
  return copy_sign(r, x);
}

}  // namespace tenon::loop::functions
