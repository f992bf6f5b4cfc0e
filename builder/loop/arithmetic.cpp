// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/arithmetic.h"

#include "builder/loop/expression_fold.h"
#include "runtime/base/half.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::loop {
namespace {

// A double holds every f32 sum, product, quotient and root exactly enough that rounding it again
// gives the f32 result.
double rounded(DataType type, double value) {
  return type == DataType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}

Scalar real(DataType type, double value) { return {rounded(type, value), 0}; }
Scalar integer(DataType type, int64_t value) { return {0, wrap_integer(type, value)}; }
Scalar boolean(bool value) { return {0, value ? 1 : 0}; }

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double function(ExprOp op, double a) {
  switch (op) {
    case ExprOp::exp:
      return std::exp(a);
    case ExprOp::log:
      return std::log(a);
    case ExprOp::sin:
      return std::sin(a);
    case ExprOp::cos:
      return std::cos(a);
    case ExprOp::tan:
      return std::tan(a);
    case ExprOp::asin:
      return std::asin(a);
    case ExprOp::acos:
      return std::acos(a);
    case ExprOp::atan:
      return std::atan(a);
    case ExprOp::sinh:
      return std::sinh(a);
    case ExprOp::cosh:
      return std::cosh(a);
    case ExprOp::tanh:
      return std::tanh(a);
    case ExprOp::asinh:
      return std::asinh(a);
    case ExprOp::acosh:
      return std::acosh(a);
    case ExprOp::atanh:
      return std::atanh(a);
    default:
      return std::erf(a);
  }
}

double unary_real(ExprOp op, double a) {
  switch (op) {
    case ExprOp::negate:
      return -a;
    case ExprOp::absolute:
      return std::fabs(a);
    case ExprOp::floor:
      return std::floor(a);
    case ExprOp::ceil:
      return std::ceil(a);
    case ExprOp::round_even:
      return std::nearbyint(a);
    case ExprOp::truncate:
      return std::trunc(a);
    case ExprOp::square_root:
      return std::sqrt(a);
    default:
      return function(op, a);
  }
}

double binary_real(ExprOp op, double a, double b) {
  switch (op) {
    case ExprOp::add:
      return a + b;
    case ExprOp::subtract:
      return a - b;
    case ExprOp::multiply:
      return a * b;
    case ExprOp::divide:
      return a / b;
    case ExprOp::remainder:
      return std::fmod(a, b);
    case ExprOp::minimum:
      return minimum(a, b);
    case ExprOp::maximum:
      return -minimum(-a, -b);
    case ExprOp::copy_sign:
      return std::copysign(a, b);
    case ExprOp::atan2:
      return std::atan2(a, b);
    default:
      return std::pow(a, b);
  }
}

int64_t divide(DataType type, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (type == DataType::u64)
    return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
}

int64_t remainder(DataType type, int64_t a, int64_t b) {
  if (b == 0 || b == -1) {
    if (b == 0 || type != DataType::u64) return 0;
  }
  if (type == DataType::u64)
    return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  return a % b;
}

bool less(DataType type, int64_t a, int64_t b) {
  return type == DataType::u64 ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

int64_t shift(ExprOp op, DataType type, int64_t a, int64_t count) {
  int64_t width = bit_width(type);
  bool outside = less(DataType::u64, width - 1, count);
  if (op == ExprOp::shift_left) {
    return outside ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << count);
  }
  if (is_signed_integer(type)) return a >> (outside ? 63 : count);
  return outside ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) >> count);
}

int64_t binary_integer(ExprOp op, DataType type, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
    case ExprOp::add:
      return static_cast<int64_t>(x + y);
    case ExprOp::subtract:
      return static_cast<int64_t>(x - y);
    case ExprOp::multiply:
      return static_cast<int64_t>(x * y);
    case ExprOp::divide:
      return divide(type, a, b);
    case ExprOp::remainder:
      return remainder(type, a, b);
    case ExprOp::floor_divide: {
      int64_t rest = remainder(type, a, b);
      bool down = rest != 0 && is_signed_integer(type) && (rest < 0) != (b < 0);
      return divide(type, a, b) - (down ? 1 : 0);
    }
    case ExprOp::floor_modulo: {
      int64_t rest = remainder(type, a, b);
      bool up = rest != 0 && is_signed_integer(type) && (rest < 0) != (b < 0);
      return up ? rest + b : rest;
    }
    case ExprOp::minimum:
      return less(type, a, b) ? a : b;
    case ExprOp::maximum:
      return less(type, a, b) ? b : a;
    case ExprOp::bit_and:
      return a & b;
    case ExprOp::bit_or:
      return a | b;
    case ExprOp::bit_xor:
      return a ^ b;
    case ExprOp::shift_left:
    case ExprOp::shift_right:
      return shift(op, type, a, b);
    default:
      return std::numeric_limits<int64_t>::min();
  }
}

uint64_t bits_of(DataType type, Scalar a) {
  std::byte bytes[8] = {};
  write_element(type, bytes, a);
  return std::bit_cast<uint64_t>(bytes);
}

template <typename T>
T read(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

double read_narrow(DataType type, uint8_t code) {
  switch (type) {
    case DataType::f8e4m3:
      return runtime::f8e4m3_to_float(code);
    case DataType::f8e5m2:
      return runtime::f8e5m2_to_float(code);
    case DataType::f8e4m3fnuz:
      return runtime::f8e4m3fnuz_to_float(code);
    case DataType::f8e5m2fnuz:
      return runtime::f8e5m2fnuz_to_float(code);
    default:
      return runtime::f8e8m0_to_float(code);
  }
}

template <typename T>
void write(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

}  // namespace

Scalar apply_unary(ExprOp op, DataType type, Scalar a) {
  if (is_float(type)) {
    return op == ExprOp::is_nan ? boolean(std::isnan(a.real)) : real(type, unary_real(op, a.real));
  }
  switch (op) {
    case ExprOp::negate:
      return integer(type, static_cast<int64_t>(-static_cast<uint64_t>(a.integer)));
    case ExprOp::absolute: {
      bool negative = is_signed_integer(type) && a.integer < 0;
      return negative ? apply_unary(ExprOp::negate, type, a) : a;
    }
    case ExprOp::bit_not:
      return type == DataType::boolean ? boolean(a.integer == 0) : integer(type, ~a.integer);
    default:
      return a;
  }
}

Scalar apply_binary(ExprOp op, DataType type, Scalar a, Scalar b) {
  bool floats = is_float(type);
  switch (op) {
    case ExprOp::equal:
      return boolean(floats ? a.real == b.real : a.integer == b.integer);
    case ExprOp::less:
      return boolean(floats ? a.real < b.real : less(type, a.integer, b.integer));
    case ExprOp::less_equal:
      return boolean(floats ? a.real <= b.real : !less(type, b.integer, a.integer));
    default:
      break;
  }
  return floats ? real(type, binary_real(op, a.real, b.real))
                : integer(type, binary_integer(op, type, a.integer, b.integer));
}

Scalar apply_fused_multiply_add(DataType type, Scalar a, Scalar b, Scalar c) {
  if (type == DataType::f32) {
    return {std::fma(static_cast<float>(a.real), static_cast<float>(b.real),
                     static_cast<float>(c.real)),
            0};
  }
  return {std::fma(a.real, b.real, c.real), 0};
}

Scalar apply_cast(DataType from, DataType to, Scalar a) {
  if (!is_float(to)) {
    if (!is_float(from)) return integer(to, a.integer);
    return {0, saturate_to_integer(to, a.real)};
  }
  if (!is_float(from)) {
    if (from == DataType::u64) {
      auto bits = static_cast<uint64_t>(a.integer);
      a.real = to == DataType::f64 ? static_cast<double>(bits) : static_cast<float>(bits);
    } else {
      a.real = to == DataType::f64 ? static_cast<double>(a.integer) : static_cast<float>(a.integer);
    }
  }
  if (to == DataType::f64) return a;
  if (to == DataType::f32) return real(to, a.real);
  std::byte bytes[8] = {};
  write_element(to, bytes, a);
  return read_element(to, bytes);
}

Scalar apply_bitcast(DataType from, DataType to, Scalar a) {
  uint64_t bits = bits_of(from, a);
  std::byte bytes[8];
  std::memcpy(bytes, &bits, sizeof bytes);
  return read_element(to, bytes);
}

Scalar read_element(DataType type, const std::byte* address) {
  switch (type) {
    case DataType::f64:
      return {read<double>(address), 0};
    case DataType::f32:
      return {read<float>(address), 0};
    case DataType::f16:
      return {runtime::half_to_float(read<uint16_t>(address)), 0};
    case DataType::bf16:
      return {runtime::bfloat16_to_float(read<uint16_t>(address)), 0};
    case DataType::i64:
      return {0, read<int64_t>(address)};
    case DataType::i32:
      return {0, read<int32_t>(address)};
    case DataType::i16:
      return {0, read<int16_t>(address)};
    case DataType::i8:
      return {0, read<int8_t>(address)};
    case DataType::u64:
      return {0, static_cast<int64_t>(read<uint64_t>(address))};
    case DataType::u32:
      return {0, read<uint32_t>(address)};
    case DataType::u16:
      return {0, read<uint16_t>(address)};
    case DataType::u8:
      return {0, read<uint8_t>(address)};
    case DataType::boolean:
      return {0, read<uint8_t>(address) != 0};
    default:
      return {read_narrow(type, read<uint8_t>(address)), 0};
  }
}

void write_element(DataType type, std::byte* address, Scalar value) {
  switch (type) {
    case DataType::f64:
      return write(address, value.real);
    case DataType::f32:
      return write(address, static_cast<float>(value.real));
    case DataType::f16:
      return write(address, runtime::float_to_half(static_cast<float>(value.real)));
    case DataType::bf16:
      return write(address, runtime::float_to_bfloat16(static_cast<float>(value.real)));
    default:
      break;
  }
  std::memcpy(address, &value.integer, static_cast<size_t>(bit_width(type) / 8));
}

}  // namespace tenon::loop
