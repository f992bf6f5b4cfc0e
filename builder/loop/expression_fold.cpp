// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/expression_fold.h"

#include "builder/loop/linear.h"

#include <cmath>
#include <limits>

namespace tenon::loop {
namespace {

bool is_constant(const ExprPointer& e) { return e->op == ExprOp::constant; }
bool is_index(const ExprPointer& e, int64_t value) {
  return is_constant(e) && e->type == DataType::i64 && e->integer == value;
}

ExprPointer boolean(bool value) { return integer_constant(DataType::boolean, value ? 1 : 0); }

// Splits `a` into quotient * divisor + rest by the terms that the divisor divides.
struct Division {
  Linear quotient, rest;
};
Division divide_terms(const ExprPointer& a, const Dim& divisor) {
  Division result;
  Linear sum = linear(a);
  for (const Linear::Term& term : sum.terms) {
    if (auto exact = Dim::exact_div(term.coefficient, divisor)) {
      result.quotient.terms.push_back({term.term, *exact});
    } else {
      result.rest.terms.push_back(term);
    }
  }
  if (sum.constant.is_constant() && divisor.is_constant()) {
    int64_t k = divisor.constant(), c = sum.constant.constant();
    int64_t quotient = c / k - (c % k < 0 ? 1 : 0);
    result.quotient.constant = quotient;
    result.rest.constant = c - quotient * k;
  } else if (auto exact = Dim::exact_div(sum.constant, divisor)) {
    result.quotient.constant = *exact;
  } else {
    result.rest.constant = sum.constant;
  }
  return result;
}

ExprPointer raw(ExprOp op, const ExprPointer& a, const ExprPointer& b) {
  Expr result;
  result.op = op;
  result.type = a->type;
  result.args = {a, b};
  return std::make_shared<const Expr>(std::move(result));
}

// floor_divide(a*k + b, k) => a + floor_divide(b, k);  floor_modulo(a*k + b, k) => floor_modulo(b,
// k)
ExprPointer fold_division(ExprOp op, const ExprPointer& a, const Dim& divisor) {
  if (divisor == Dim(1)) return op == ExprOp::floor_divide ? a : index_constant(0);
  if (divisor.is_constant() && divisor.constant() <= 0) return nullptr;
  if (auto value = as_dim(a)) {
    return dim_value(op == ExprOp::floor_divide ? Dim::floor_div(*value, divisor)
                                                : Dim::mod(*value, divisor));
  }
  // floor_divide(floor_divide(x, j), k) => floor_divide(x, j*k)
  if (op == ExprOp::floor_divide && a->op == ExprOp::floor_divide) {
    auto inner = as_dim(a->args[1]);
    if (inner && inner->is_constant() && inner->constant() > 0 && divisor.is_constant()) {
      return binary(op, a->args[0], dim_value(*inner * divisor));
    }
  }
  // floor_modulo(floor_modulo(x, j*k), k) => floor_modulo(x, k)
  if (op == ExprOp::floor_modulo && a->op == ExprOp::floor_modulo) {
    auto inner = as_dim(a->args[1]);
    if (inner && Dim::exact_div(*inner, divisor)) return binary(op, a->args[0], dim_value(divisor));
  }
  Division parts = divide_terms(a, divisor);
  bool split = !parts.quotient.terms.empty() || parts.quotient.constant != Dim(0);
  if (!split) return nullptr;
  bool no_rest = parts.rest.terms.empty();
  if (op == ExprOp::floor_modulo) {
    if (no_rest) return dim_value(Dim::mod(parts.rest.constant, divisor));
    return raw(op, to_expression(parts.rest), dim_value(divisor));
  }
  if (no_rest) {
    parts.quotient.constant =
        parts.quotient.constant + Dim::floor_div(parts.rest.constant, divisor);
    return to_expression(parts.quotient);
  }
  return to_expression(parts.quotient) + raw(op, to_expression(parts.rest), dim_value(divisor));
}

ExprPointer fold_dims(ExprOp op, const Dim& a, const Dim& b) {
  switch (op) {
    case ExprOp::add:
      return dim_value(a + b);
    case ExprOp::subtract:
      return dim_value(a - b);
    case ExprOp::multiply:
      return dim_value(a * b);
    case ExprOp::minimum:
      return dim_value(Dim::minimum(a, b));
    case ExprOp::maximum:
      return dim_value(Dim::maximum(a, b));
    default:
      return nullptr;
  }
}

ExprPointer fold_index(ExprOp op, const ExprPointer& a, const ExprPointer& b) {
  auto left = as_dim(a), right = as_dim(b);
  if (op == ExprOp::floor_divide || op == ExprOp::floor_modulo) {
    return right ? fold_division(op, a, *right) : nullptr;
  }
  if (left && right) {
    if (ExprPointer folded = fold_dims(op, *left, *right)) return folded;
  }
  switch (op) {
    case ExprOp::add:
      if (is_index(b, 0)) return a;
      if (is_index(a, 0)) return b;
      // (x + c) + d => x + (c + d)
      if (right && a->op == ExprOp::add) {
        if (auto inner = as_dim(a->args[1])) return a->args[0] + dim_value(*inner + *right);
      }
      return nullptr;
    case ExprOp::subtract:
      if (is_index(b, 0)) return a;
      if (a == b) return index_constant(0);
      if (right) return a + dim_value(Dim(0) - *right);
      return nullptr;
    case ExprOp::multiply:
      if (is_index(b, 1)) return a;
      if (is_index(a, 1)) return b;
      if (is_index(a, 0) || is_index(b, 0)) return index_constant(0);
      if (left) return b * a;
      // (x * c) * d => x * (c * d)
      if (right && a->op == ExprOp::multiply) {
        if (auto inner = as_dim(a->args[1])) return a->args[0] * dim_value(*inner * *right);
      }
      return nullptr;
    case ExprOp::divide:
      return is_index(b, 1) ? a : nullptr;
    case ExprOp::minimum:
    case ExprOp::maximum:
      return a == b ? a : nullptr;
    case ExprOp::equal:
    case ExprOp::less:
    case ExprOp::less_equal: {
      Linear difference = linear(a);
      difference.add(linear(b), Dim(-1));
      if (!difference.terms.empty() || !difference.constant.is_constant()) return nullptr;
      int64_t value = difference.constant.constant();
      return boolean(op == ExprOp::equal  ? value == 0
                     : op == ExprOp::less ? value < 0
                                          : value <= 0);
    }
    default:
      return nullptr;
  }
}

ExprPointer fold_bool(ExprOp op, const ExprPointer& a, const ExprPointer& b) {
  if (op != ExprOp::bit_and && op != ExprOp::bit_or) return nullptr;
  bool absorbing = op == ExprOp::bit_or;  // x or true => true, x and false => false
  for (const auto& [known, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (is_constant(known)) return (known->integer != 0) == absorbing ? known : other;
  }
  return a == b ? a : nullptr;
}

}  // namespace

int64_t wrap_integer(DataType type, int64_t value) {
  if (type == DataType::boolean) return value != 0;
  int width = bit_width(type);
  if (width == 64) return value;
  uint64_t low = static_cast<uint64_t>(value) << (64 - width);
  return is_signed_integer(type) ? static_cast<int64_t>(low) >> (64 - width)
                                 : static_cast<int64_t>(low >> (64 - width));
}

int64_t saturate_to_integer(DataType type, double value) {
  if (type == DataType::boolean) return value != 0;
  if (std::isnan(value)) return 0;
  int width = bit_width(type);
  if (is_signed_integer(type)) {
    double limit = std::ldexp(1.0, width - 1);
    int64_t maximum =
        width == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (width - 1)) - 1;
    if (value >= limit) return maximum;
    if (value <= -limit) return -maximum - 1;
    return static_cast<int64_t>(value);
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1.0, width)) return wrap_integer(type, -1);
  return static_cast<int64_t>(static_cast<uint64_t>(value));
}

double integer_to_real(DataType type, int64_t value) {
  return type == DataType::u64 ? static_cast<double>(static_cast<uint64_t>(value))
                               : static_cast<double>(value);
}

ExprPointer fold_unary(ExprOp op, const ExprPointer& a) {
  if (!is_constant(a)) return nullptr;
  if (op == ExprOp::negate) {
    if (is_float(a->type)) return real_constant(a->type, -a->real);
    return integer_constant(a->type, static_cast<int64_t>(-static_cast<uint64_t>(a->integer)));
  }
  if (op == ExprOp::bit_not) {
    return integer_constant(a->type, a->type == DataType::boolean ? !a->integer : ~a->integer);
  }
  return nullptr;
}

ExprPointer fold_binary(ExprOp op, const ExprPointer& a, const ExprPointer& b) {
  if (a->type == DataType::i64) return fold_index(op, a, b);
  if (a->type == DataType::boolean) return fold_bool(op, a, b);
  return nullptr;
}

ExprPointer fold_cast(DataType type, const ExprPointer& a) {
  if (!is_constant(a)) return nullptr;
  if (type != DataType::f64 && type != DataType::f32 && is_float(type)) return nullptr;
  if (is_float(a->type)) {
    return is_float(type) ? real_constant(type, a->real)
                          : integer_constant(type, saturate_to_integer(type, a->real));
  }
  if (!is_float(type)) return integer_constant(type, a->integer);
  // A 64-bit integer may round twice on its way through double.
  double value = integer_to_real(a->type, a->integer);
  if (std::fabs(value) > std::ldexp(1.0, 53)) return nullptr;
  return real_constant(type, value);
}

}  // namespace tenon::loop
