// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/pack_weight.h"

#include "builder/ir/constant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tenon::emit {
namespace {

constexpr uint32_t kSeed = 1;

/// One byte per element in memory order, as many bytes wide as the type, never zero.
std::vector<std::byte> numbered(int64_t count, int64_t width) {
  std::vector<std::byte> bytes(count * width);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 251 + 1);
  return bytes;
}

/// Walks the physical positions one by one, and looks up which logical element lies there.
std::vector<std::byte> packed_by_definition(const TensorData& data, const ir::TensorType& type,
                                            int64_t width) {
  const std::vector<int64_t> dims = ir::static_dims(type.shape);
  const std::vector<int64_t> physical = ir::static_dims(ir::physical_dims(type.layout, type.shape));
  std::vector<int> order = type.layout.permutation;
  if (order.empty()) {
    order.resize(dims.size());
    std::iota(order.begin(), order.end(), 0);
  }
  int64_t count = 1;
  for (int64_t dim : physical) count *= dim;
  std::vector<std::byte> packed(count * width);
  for (int64_t position = 0; position < count; ++position) {
    std::vector<int64_t> at(physical.size());
    int64_t rest = position;
    for (size_t i = physical.size(); i-- > 0;) {
      at[i] = rest % physical[i];
      rest /= physical[i];
    }
    std::vector<int64_t> logical(dims.size());
    for (size_t i = 0; i < order.size(); ++i) logical[order[i]] = at[i];
    for (size_t b = 0; b < type.layout.blocks.size(); ++b) {
      const ir::Layout::Block& block = type.layout.blocks[b];
      logical[block.axis] = logical[block.axis] * block.size + at[order.size() + b];
    }
    int64_t index = 0;
    bool inside = true;
    for (size_t i = 0; i < dims.size(); ++i) {
      inside = inside && logical[i] < dims[i];
      index = index * dims[i] + logical[i];
    }
    if (inside) std::memcpy(&packed[position * width], &data.bytes[index * width], width);
  }
  return packed;
}

ir::TensorType random_type(std::mt19937& random, DataType element) {
  ir::TensorType type;
  type.type = element;
  const int rank = static_cast<int>(random() % 5);
  for (int i = 0; i < rank; ++i) type.shape.emplace_back(static_cast<int64_t>(random() % 6));
  if (rank > 0 && random() % 3 != 0) {
    type.layout.permutation.resize(rank);
    std::iota(type.layout.permutation.begin(), type.layout.permutation.end(), 0);
    std::shuffle(type.layout.permutation.begin(), type.layout.permutation.end(), random);
  }
  for (int blocks = rank > 0 ? static_cast<int>(random() % 3) : 0; blocks > 0; --blocks) {
    type.layout.blocks.push_back(
        {static_cast<int>(random() % rank), 2 + static_cast<int64_t>(random() % 3)});
  }
  return type;
}

TEST(PackWeight, MovesEveryElementToItsPlaceAndZeroesTheRest) {
  std::mt19937 random(kSeed);
  for (const DataType element : {DataType::f64, DataType::f32, DataType::f16, DataType::i8}) {
    const int64_t width = bit_width(element) / 8;
    for (int round = 0; round < 100; ++round) {
      const ir::TensorType type = random_type(random, element);
      const std::vector<int64_t> dims = ir::static_dims(type.shape);
      const TensorData data =
          ir::make_tensor(element, dims, numbered(*ir::element_count(dims), width));
      const auto packed = pack_weight(data, type);
      ASSERT_TRUE(packed.ok()) << ir::to_string(type) << ": " << packed.status().to_string();
      EXPECT_EQ(*packed, packed_by_definition(data, type, width))
          << ir::to_string(type) << " in round " << round << ", seed " << kSeed;
    }
  }
}

TEST(PackWeight, TakesTheSameElementsInAnotherShape) {
  const TensorData data = ir::make_tensor(DataType::i8, {6}, numbered(6, 1));
  ir::TensorType type{DataType::i8, ir::to_shape({2, 3}), {{1, 0}, {}}};
  const auto packed = pack_weight(data, type);
  ASSERT_TRUE(packed.ok());
  const std::vector<std::byte> expected = {std::byte{1}, std::byte{4}, std::byte{2},
                                           std::byte{5}, std::byte{3}, std::byte{6}};
  EXPECT_EQ(*packed, expected);
}

TEST(PackWeight, RefusesBytesThatDoNotFit) {
  const TensorData data = ir::make_tensor(DataType::i8, {6}, numbered(6, 1));
  EXPECT_EQ(pack_weight(data, {DataType::i8, ir::to_shape({7}), {}}).status().code(),
            ErrorCode::internal);
  EXPECT_EQ(pack_weight(data, {DataType::u8, ir::to_shape({6}), {}}).status().code(),
            ErrorCode::internal);
}

TEST(PackWeight, KeepsHalfBytesInTheNaturalOrderOnly) {
  const TensorData data = ir::make_tensor(DataType::i4, {2, 3}, numbered(3, 1));
  ir::TensorType type{DataType::i4, ir::to_shape({2, 3}), {}};
  EXPECT_TRUE(is_packed(data, type));
  EXPECT_TRUE(pack_weight(data, type).ok());
  type.layout.permutation = {1, 0};
  EXPECT_FALSE(is_packed(data, type));
  EXPECT_EQ(pack_weight(data, type).status().code(), ErrorCode::unsupported);
}

}  // namespace
}  // namespace tenon::emit
