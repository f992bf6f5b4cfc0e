// SPDX-License-Identifier: Apache-2.0
// Conversions of narrow floats by integer arithmetic: the same bits on every processor, no libm.
#pragma once

#include <bit>
#include <cstdint>

namespace tenon::runtime {

constexpr float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

/// Rounds to nearest, ties to even; overflows to infinity; NaN stays NaN.
constexpr uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  }
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude <= 0x33000000u) return static_cast<uint16_t>(sign);
  uint32_t result = 0, remainder = 0, tie = 0;
  if (magnitude < 0x38800000u) {
    const uint32_t shift = 126 - (magnitude >> 23);
    const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    result = mantissa >> shift;
    remainder = mantissa & ((1u << shift) - 1);
    tie = 1u << (shift - 1);
  } else {
    result = (magnitude - 0x38000000u) >> 13;
    remainder = magnitude & 0x1fffu;
    tie = 0x1000u;
  }
  if (remainder > tie || (remainder == tie && (result & 1))) ++result;
  return static_cast<uint16_t>(sign | result);
}

constexpr float bfloat16_to_float(uint16_t value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value) << 16);
}

/// Rounds to nearest, ties to even; NaN stays NaN.
constexpr uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// A sign, `exponent_bits`, `mantissa_bits` and nothing but numbers.
constexpr float decode_small_float(uint32_t code, int exponent_bits, int mantissa_bits, int bias) {
  const uint32_t sign = (code >> (exponent_bits + mantissa_bits)) & 1u;
  const uint32_t exponent = (code >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const uint32_t mantissa = code & ((1u << mantissa_bits) - 1);
  const uint32_t significand = exponent == 0 ? mantissa : mantissa | (1u << mantissa_bits);
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - bias - mantissa_bits;
  const float scale = std::bit_cast<float>(static_cast<uint32_t>(power + 127) << 23);
  const float magnitude = static_cast<float>(significand) * scale;
  return std::bit_cast<float>((sign << 31) | std::bit_cast<uint32_t>(magnitude));
}

inline constexpr float kQuietNan = std::bit_cast<float>(0x7fc00000u);

/// No infinities; 0x7f and 0xff are NaN.
constexpr float f8e4m3_to_float(uint8_t code) {
  return (code & 0x7f) == 0x7f ? kQuietNan : decode_small_float(code, 4, 3, 7);
}
constexpr float f8e5m2_to_float(uint8_t code) {
  const uint32_t magnitude = code & 0x7fu;
  if (magnitude > 0x7c) return kQuietNan;
  if (magnitude == 0x7c) {
    return std::bit_cast<float>((static_cast<uint32_t>(code & 0x80u) << 24) | 0x7f800000u);
  }
  return decode_small_float(code, 5, 2, 15);
}
/// No infinities, no negative zero; 0x80 is NaN.
constexpr float f8e4m3fnuz_to_float(uint8_t code) {
  return code == 0x80 ? kQuietNan : decode_small_float(code, 4, 3, 8);
}
constexpr float f8e5m2fnuz_to_float(uint8_t code) {
  return code == 0x80 ? kQuietNan : decode_small_float(code, 5, 2, 16);
}
/// A power of two, 2^(code-127); 0xff is NaN.
constexpr float f8e8m0_to_float(uint8_t code) {
  if (code == 0xff) return kQuietNan;
  return std::bit_cast<float>(code == 0 ? 0x00400000u : static_cast<uint32_t>(code) << 23);
}
/// The low four bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
constexpr float f4e2m1_to_float(uint8_t code) { return decode_small_float(code & 0xfu, 2, 1, 1); }

}  // namespace tenon::runtime
