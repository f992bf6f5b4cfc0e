// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

namespace tenon::runtime {
namespace {

static_assert(float_to_half(1.0f) == 0x3c00 && half_to_float(0x3c00) == 1.0f);
static_assert(float_to_bfloat16(1.0f) == 0x3f80);

double half_by_definition(uint16_t code) {
  const int exponent = (code >> 10) & 31, mantissa = code & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return code & 0x8000 ? -magnitude : magnitude;
}

TEST(Half, DecodesAndEncodesEveryCode) {
  for (uint32_t code = 0; code < 0x10000; ++code) {
    const auto half = static_cast<uint16_t>(code);
    const float value = half_to_float(half);
    if ((code & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(value)) << code;
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value)))) << code;
      continue;
    }
    if ((code & 0x7fff) != 0x7c00) {
      ASSERT_EQ(value, half_by_definition(half)) << code;
    }
    ASSERT_EQ(float_to_half(value), half) << code;
  }
}

/// The nearest of all finite codes, the even one of two.
uint16_t nearest_half(float value) {
  uint16_t low = 0, high = 0x7c00;
  const double magnitude = std::fabs(static_cast<double>(value));
  while (low + 1 < high) {
    const auto middle = static_cast<uint16_t>((low + high) / 2);
    (half_by_definition(middle) <= magnitude ? low : high) = middle;
  }
  const double above = half_by_definition(high) - magnitude;  // 0x7c00 counts as 65536
  const double below = magnitude - half_by_definition(low);
  const bool up = above < below || (above == below && (low & 1));
  return static_cast<uint16_t>((up ? high : low) | (std::signbit(value) ? 0x8000 : 0));
}

TEST(Half, RoundsToNearestEven) {
  std::mt19937 generator(1);
  for (int round = 0; round < 200000; ++round) {
    uint32_t bits = generator();
    if (round % 2 == 0) {
      // Exponents near the range of half, and exact ties.
      bits = (bits & 0x80ffffffu) | ((100u + generator() % 45u) << 23);
      if (round % 4 == 0) bits &= 0xfffff000u;
    }
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value) || std::isinf(value)) continue;
    ASSERT_EQ(float_to_half(value), nearest_half(value)) << value;
  }
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-INFINITY), 0xfc00);
  EXPECT_EQ(float_to_half(0x1p-25f), 0);
  EXPECT_EQ(float_to_half(0x1.000002p-25f), 1);
}

TEST(Bfloat16, RoundsToNearestEven) {
  std::mt19937 generator(1);
  for (int round = 0; round < 200000; ++round) {
    const uint32_t bits = round % 2 ? generator() : generator() & 0xffff8000u;
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(value)))) << bits;
      continue;
    }
    const uint32_t low = bits >> 16, rest = bits & 0xffffu;
    const uint32_t expected = rest > 0x8000 || (rest == 0x8000 && (low & 1)) ? low + 1 : low;
    ASSERT_EQ(float_to_bfloat16(value), expected) << value;
  }
}

TEST(SmallFloats, DecodeTheCodesOfTheirStandards) {
  EXPECT_EQ(f8e4m3_to_float(0x7e), 448.0f);
  EXPECT_EQ(f8e4m3_to_float(0x01), 0x1p-9f);
  EXPECT_EQ(f8e4m3_to_float(0xb8), -1.0f);
  EXPECT_TRUE(std::isnan(f8e4m3_to_float(0x7f)));
  EXPECT_TRUE(std::isnan(f8e4m3_to_float(0xff)));
  EXPECT_EQ(f8e5m2_to_float(0x7b), 57344.0f);
  EXPECT_EQ(f8e5m2_to_float(0x01), 0x1p-16f);
  EXPECT_EQ(f8e5m2_to_float(0xfc), -INFINITY);
  EXPECT_TRUE(std::isnan(f8e5m2_to_float(0x7d)));
  EXPECT_EQ(f8e4m3fnuz_to_float(0x7f), 240.0f);
  EXPECT_EQ(f8e4m3fnuz_to_float(0x01), 0x1p-10f);
  EXPECT_TRUE(std::isnan(f8e4m3fnuz_to_float(0x80)));
  EXPECT_EQ(f8e5m2fnuz_to_float(0x7f), 57344.0f);
  EXPECT_EQ(f8e5m2fnuz_to_float(0x01), 0x1p-17f);
  EXPECT_TRUE(std::isnan(f8e5m2fnuz_to_float(0x80)));
  EXPECT_EQ(f8e8m0_to_float(0), 0x1p-127f);
  EXPECT_EQ(f8e8m0_to_float(127), 1.0f);
  EXPECT_EQ(f8e8m0_to_float(254), 0x1p127f);
  EXPECT_TRUE(std::isnan(f8e8m0_to_float(255)));
  const float fours[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (uint8_t code = 0; code < 8; ++code) {
    EXPECT_EQ(f4e2m1_to_float(code), fours[code]);
    EXPECT_EQ(f4e2m1_to_float(code | 8), -fours[code]);
  }
  EXPECT_TRUE(std::signbit(f4e2m1_to_float(8)));
}

}  // namespace
}  // namespace tenon::runtime
