// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

#include <limits>

namespace tenon::loop::functions {

ExprPointer number(const ExprPointer& like, double value) {
  return real_constant(like->type, value);
}

ExprPointer polynomial(const ExprPointer& z, const std::vector<double>& coefficients) {
  ExprPointer sum = number(z, coefficients.back());
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = fused_multiply_add(sum, z, number(z, coefficients[i]));
  }
  return sum;
}

ExprPointer infinity(const ExprPointer& like) {
  return number(like, std::numeric_limits<double>::infinity());
}

ExprPointer not_a_number(const ExprPointer& like) {
  return number(like, std::numeric_limits<double>::quiet_NaN());
}

ExprPointer absolute(const ExprPointer& x) { return unary(ExprOp::absolute, x); }
ExprPointer square_root(const ExprPointer& x) { return unary(ExprOp::square_root, x); }
ExprPointer less(const ExprPointer& a, const ExprPointer& b) { return binary(ExprOp::less, a, b); }
ExprPointer equal_to(const ExprPointer& a, const ExprPointer& b) {
  return binary(ExprOp::equal, a, b);
}
ExprPointer copy_sign(const ExprPointer& magnitude, const ExprPointer& sign) {
  return binary(ExprOp::copy_sign, magnitude, sign);
}

}  // namespace tenon::loop::functions
