// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic without undefined behaviour: checked forms give nothing on overflow,
// saturating forms the nearest representable value.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tenon::ir {

inline constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}
inline std::optional<int64_t> checked_multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}
/// Nothing when the divisor is zero, too.
inline std::optional<int64_t> checked_floor_divide(int64_t a, int64_t b) {
  if (b == 0 || (a == kInt64Min && b == -1)) return std::nullopt;
  const int64_t quotient = a / b;
  return a % b != 0 && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}
/// a - b*floor(a/b); nothing when the divisor is zero.
inline std::optional<int64_t> checked_floor_modulo(int64_t a, int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const int64_t remainder = a % b;
  return remainder != 0 && ((remainder < 0) != (b < 0)) ? remainder + b : remainder;
}
/// a/b when that is an integer.
inline std::optional<int64_t> checked_exact_divide(int64_t a, int64_t b) {
  if (checked_floor_modulo(a, b) != 0) return std::nullopt;
  return checked_floor_divide(a, b);
}

inline int64_t saturating_add(int64_t a, int64_t b) {
  return checked_add(a, b).value_or(a < 0 ? kInt64Min : kInt64Max);
}
inline int64_t saturating_multiply(int64_t a, int64_t b) {
  return checked_multiply(a, b).value_or((a < 0) != (b < 0) ? kInt64Min : kInt64Max);
}

}  // namespace tenon::ir
