// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/constant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace tenon::ir {
namespace {

TEST(Constant, ReadsElementsOfEveryType) {
  const TensorData scalar = scalar_f32(-2.5f);
  EXPECT_TRUE(scalar.dims.empty());
  EXPECT_EQ(element_as_double(scalar, 0), -2.5);
  EXPECT_EQ(element_as_integer(scalar, 0), -2);
  EXPECT_EQ(element_as_double(scalar, 1), 0) << "beyond the end";
  EXPECT_EQ(element_as_integer(scalar, -1), 0) << "before the start";

  const TensorData numbers = make_i64({5, INT64_MIN});
  EXPECT_EQ(numbers.dims, std::vector<int64_t>{2});
  EXPECT_EQ(element_as_integer(numbers, 1), INT64_MIN);
  EXPECT_EQ(element_as_double(numbers, 0), 5);

  const TensorData nibbles = make_tensor(DataType::i4, {3}, {std::byte{0x7f}, std::byte{0x08}});
  EXPECT_EQ(element_as_integer(nibbles, 0), -1);
  EXPECT_EQ(element_as_integer(nibbles, 1), 7);
  EXPECT_EQ(element_as_integer(nibbles, 2), -8);
  const TensorData pairs = make_tensor(DataType::u2, {4}, {std::byte{0b11100100}});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(element_as_integer(pairs, i), i);
}

TEST(Constant, ConvertsFloatsToIntegersSaturating) {
  EXPECT_EQ(element_as_integer(scalar_f32(1e30f), 0), INT64_MAX);
  EXPECT_EQ(element_as_integer(scalar_f32(-1e30f), 0), INT64_MIN);
  EXPECT_EQ(element_as_integer(scalar_f32(NAN), 0), 0);
}

TEST(Constant, EveryCodeOfTheSmallTypesReadsBack) {
  for (int i = 0; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    if (bit_width(type) > 16) continue;
    for (uint64_t bits = 0; bits < uint64_t{1} << bit_width(type); ++bits) {
      const std::string text = element_to_string(type, bits);
      ASSERT_EQ(parse_element(type, text), bits) << to_string(type) << " " << text;
    }
  }
}

TEST(Constant, RandomBitsOfTheWideTypesReadBack) {
  std::mt19937_64 generator(1);
  for (int round = 0; round < 20000; ++round) {
    for (DataType type : {DataType::f64, DataType::f32, DataType::i64, DataType::u64, DataType::i32,
                          DataType::u32}) {
      const uint64_t bits = bit_width(type) == 64 ? generator() : generator() >> 32;
      const std::string text = element_to_string(type, bits);
      ASSERT_EQ(parse_element(type, text), bits) << to_string(type) << " " << text;
    }
  }
}

TEST(Constant, PacksSubByteElements) {
  std::vector<std::byte> bytes(3);
  for (int i = 0; i < 5; ++i) set_element_bits(bytes, DataType::u4, i, 15 - i);
  const TensorData data = make_tensor(DataType::u4, {5}, bytes);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(element_as_integer(data, i), 15 - i);
  EXPECT_EQ(bytes[0], std::byte{0xef}) << "the first element lies in the low bits";
}

TEST(Constant, HashesContent) {
  const TensorData one = make_i64({1, 2}), two = make_i64({1, 2}), three = make_i64({1, 3});
  EXPECT_EQ(content_hash(one), content_hash(two));
  EXPECT_NE(content_hash(one), content_hash(three));
  EXPECT_EQ(content_hash(one).size(), 32u);
  EXPECT_EQ(content_hash(TensorData()), "99aa06d3014798d86001c324468d497f")
      << "XXH3-128 of nothing";
}

TEST(Constant, CountsElementsWithoutOverflow) {
  EXPECT_EQ(element_count(std::vector<int64_t>{}), 1);
  EXPECT_EQ(element_count(std::vector<int64_t>{3, 0, 5}), 0);
  EXPECT_EQ(element_count(std::vector<int64_t>{INT64_MAX, 2}), std::nullopt);
  EXPECT_EQ(element_count(std::vector<int64_t>{-1}), std::nullopt);
}

}  // namespace
}  // namespace tenon::ir
