// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions.h"

#include "builder/loop/functions/function.h"
#include "builder/loop/rewrite.h"

namespace tenon::loop {
namespace {

ExprPointer expand_unary(ExprOp op, const ExprPointer& x) {
  switch (op) {
    case ExprOp::exp:
      return functions::exponential(x);
    case ExprOp::log:
      return functions::logarithm(x);
    case ExprOp::sin:
      return functions::sine(x);
    case ExprOp::cos:
      return functions::cosine(x);
    case ExprOp::tan:
      return functions::tangent(x);
    case ExprOp::asin:
      return functions::arc_sine(x);
    case ExprOp::acos:
      return functions::arc_cosine(x);
    case ExprOp::atan:
      return functions::arc_tangent(x);
    case ExprOp::sinh:
      return functions::hyperbolic_sine(x);
    case ExprOp::cosh:
      return functions::hyperbolic_cosine(x);
    case ExprOp::tanh:
      return functions::hyperbolic_tangent(x);
    case ExprOp::asinh:
      return functions::area_sine(x);
    case ExprOp::acosh:
      return functions::area_cosine(x);
    case ExprOp::atanh:
      return functions::area_tangent(x);
    default:
      return functions::error_function(x);
  }
}

ExprPointer expand_binary(ExprOp op, const ExprPointer& a, const ExprPointer& b) {
  switch (op) {
    case ExprOp::power:
      return functions::power(a, b);
    case ExprOp::atan2:
      return functions::arc_tangent2(a, b);
    default:
      return functions::float_remainder(a, b);
  }
}

bool has_narrow_form(ExprOp op) {
  return op == ExprOp::exp || op == ExprOp::log || op == ExprOp::tanh || op == ExprOp::erf;
}

ExprPointer expand(const ExprPointer& node) {
  bool function =
      node->op >= ExprOp::exp || (node->op == ExprOp::remainder && is_float(node->type));
  if (!function) return node;
  // In double, a narrow function needs no care for its last bit; the rounding back is the only
  // error.
  bool widen = node->type == DataType::f32 && !has_narrow_form(node->op);
  std::vector<ExprPointer> operands;
  for (const ExprPointer& arg : node->args) {
    operands.push_back(widen ? cast(DataType::f64, arg) : arg);
  }
  ExprPointer result = operands.size() == 1 ? expand_unary(node->op, operands[0])
                                            : expand_binary(node->op, operands[0], operands[1]);
  return cast(node->type, result);
}

}  // namespace

void expand_functions(Kernel& kernel) { rewrite_kernel(kernel, expand); }

ExprPointer expand_functions(const ExprPointer& expression) { return rewrite(expression, expand); }

}  // namespace tenon::loop
