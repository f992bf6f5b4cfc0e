// SPDX-License-Identifier: Apache-2.0
#include "builder/execute/compare_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tenon {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

ops::ReferenceTensor reals(std::vector<int64_t> dims, std::vector<double> values) {
  ops::ReferenceTensor tensor;
  tensor.dims = std::move(dims);
  tensor.reals = std::move(values);
  return tensor;
}

TensorComparison compare(const std::vector<float>& data, const ops::ReferenceTensor& reference,
                         double limit = 1e-3) {
  TensorComparison comparison;
  compare_tensor(data.data(), row_major_strides(reference.dims), reference, limit, comparison);
  return comparison;
}

TEST(CompareTensor, MeasuresTheRelativeDistance) {
  const TensorComparison comparison = compare({3, 4.5F}, reals({2}, {3, 4}), 0.2);
  EXPECT_DOUBLE_EQ(comparison.relative_l2, 0.1);
  EXPECT_DOUBLE_EQ(comparison.max_absolute, 0.5);
  EXPECT_TRUE(comparison.passed);
  EXPECT_FALSE(compare({3, 4.5F}, reals({2}, {3, 4}), 0.05).passed);
}

TEST(CompareTensor, TakesEqualNanAndInfinityAsEqual) {
  EXPECT_TRUE(compare({kNan, kInfinity, 1}, reals({3}, {kNan, kInfinity, 1})).passed);
}

TEST(CompareTensor, FailsOnNanAndInfinityAgainstNumbers) {
  EXPECT_FALSE(compare({kNan, 1}, reals({2}, {1, 1})).passed);
  EXPECT_TRUE(compare({kNan, 1}, reals({2}, {1, 1})).has_nan);
  EXPECT_FALSE(compare({1, 1}, reals({2}, {kNan, 1})).passed);
  EXPECT_FALSE(compare({kInfinity, 1}, reals({2}, {-kInfinity, 1})).passed);
  EXPECT_FALSE(compare({kInfinity, 1}, reals({2}, {2, 1})).passed);
}

TEST(CompareTensor, ComparesAbsolutelyWithZeros) {
  EXPECT_TRUE(compare({1e-6F, 0}, reals({2}, {0, 0})).passed);
  EXPECT_FALSE(compare({1e-2F, 0}, reals({2}, {0, 0})).passed);
}

TEST(CompareTensor, FollowsStrides) {
  const std::vector<float> column_major = {1, 4, 2, 5, 3, 6};
  const std::vector<int64_t> strides = {1, 2};
  TensorComparison comparison;
  compare_tensor(column_major.data(), strides, reals({2, 3}, {1, 2, 3, 4, 5, 6}), 0, comparison);
  EXPECT_TRUE(comparison.passed);
  EXPECT_FALSE(compare(column_major, reals({2, 3}, {1, 2, 3, 4, 5, 6})).passed);
}

TEST(CompareTensor, TakesScalarsAndNothing) {
  EXPECT_TRUE(compare({2}, reals({}, {2})).passed);
  EXPECT_FALSE(compare({3}, reals({}, {2})).passed);
  EXPECT_TRUE(compare({}, reals({0, 3}, {})).passed);
}

TEST(CompareTensor, ComparesIntegersExactly) {
  ops::ReferenceTensor reference;
  reference.type = DataType::i64;
  reference.dims = {2};
  reference.integers = {int64_t{1} << 60, -1};
  std::vector<int64_t> data = {int64_t{1} << 60, -1};
  TensorComparison comparison;
  compare_tensor(data.data(), row_major_strides(reference.dims), reference, 1, comparison);
  EXPECT_TRUE(comparison.passed);
  data[0] += 1;  // no double tells these two apart
  compare_tensor(data.data(), row_major_strides(reference.dims), reference, 1, comparison);
  EXPECT_FALSE(comparison.passed);
}

template <typename T>
void expect_equal_ends(DataType type) {
  const std::vector<T> data = {std::numeric_limits<T>::min(), static_cast<T>(-1), 0,
                               std::numeric_limits<T>::max()};
  ops::ReferenceTensor reference;
  reference.type = type;
  reference.dims = {4};
  for (const T value : data) reference.integers.push_back(static_cast<int64_t>(value));
  TensorComparison comparison;
  compare_tensor(data.data(), row_major_strides(reference.dims), reference, 0, comparison);
  EXPECT_TRUE(comparison.passed) << to_string(type);
  reference.integers[1] += 1;
  compare_tensor(data.data(), row_major_strides(reference.dims), reference, 0, comparison);
  EXPECT_FALSE(comparison.passed) << to_string(type);
}

TEST(CompareTensor, ReadsIntegersOfEveryTypeAtTheirEnds) {
  expect_equal_ends<int64_t>(DataType::i64);
  expect_equal_ends<int32_t>(DataType::i32);
  expect_equal_ends<int16_t>(DataType::i16);
  expect_equal_ends<int8_t>(DataType::i8);
  expect_equal_ends<uint64_t>(DataType::u64);
  expect_equal_ends<uint32_t>(DataType::u32);
  expect_equal_ends<uint16_t>(DataType::u16);
  expect_equal_ends<uint8_t>(DataType::u8);
}

}  // namespace
}  // namespace tenon
