// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/layout.h"

#include "builder/ir/type.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tenon::ir {
namespace {

TEST(Layout, PrintsAndParsesBack) {
  const std::pair<Layout, std::string> cases[] = {
      {{{}, {}}, ""},
      {{{0, 2, 3, 1}, {}}, "nhwc"},
      {{{0, 1, 2, 3}, {}}, "perm(0,1,2,3)"},
      {{{0, 1, 2, 3}, {{1, 16}}}, "perm(0,1,2,3)/block(1:16)"},
      {{{}, {{1, 16}, {0, 4}}}, "block(1:16,0:4)"},
      {{{0, 2, 3, 1}, {{3, 8}}}, "nhwc/block(3:8)"},
  };
  for (const auto& [layout, text] : cases) {
    EXPECT_EQ(to_string(layout, 4), text);
    const Result<Layout> parsed = parse_layout(text, 4);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.status().message();
    EXPECT_EQ(*parsed, layout) << text;
  }
  EXPECT_EQ(to_string(Layout::channels_last(3), 3), "nwc");
  EXPECT_EQ(to_string(Layout::channels_last(5), 5), "ndhwc");
  EXPECT_EQ(to_string(Layout::channels_last(6), 6), "perm(0,2,3,4,5,1)");
}

TEST(Layout, RefusesWhatDoesNotFit) {
  const std::pair<std::string, std::string> cases[] = {
      {"nwc", "expected a layout of 4 axes"},  {"perm(0,1,2)", "it permutes 3"},
      {"perm(0,1,2,2)", "axis 2 comes twice"}, {"perm(0,1,2,4)", "axis 4 is not one of the 4 axes"},
      {"block(1:1)", "more than one element"}, {"block(9:2)", "axis 9 is not one of"},
      {"nhwc/perm(0)", "expected a layout"},   {"block(0:999999999,1:999999999)", "too large"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Layout> result = parse_layout(text, 4);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_NE(result.status().message().find(message), std::string::npos)
        << text << ": " << result.status().message();
  }
}

TEST(Layout, BlocksRoundUpSymbolicDims) {
  const Shape shape = {Dim::symbol("N"), Dim::symbol("C"), 8};
  const Layout layout = {{0, 2, 1}, {{1, 16}}};
  EXPECT_EQ(to_string(physical_dims(layout, shape)), "[N,8,ceil_div(C,16),16]");
  EXPECT_EQ(to_string(strides(Layout::channels_last(3), shape)), "[8*C,1,C]");
  EXPECT_EQ(physical_elements({}, {}), Dim(1));
}

std::vector<int64_t> numbers(const std::vector<Dim>& dims) { return static_dims(dims); }

/// Places every element one by one: position in each outer axis and in each block.
TEST(Layout, AgreesWithABruteForceModel) {
  std::mt19937 generator(1);
  for (int round = 0; round < 500; ++round) {
    const int rank = 1 + static_cast<int>(generator() % 4);
    std::vector<int64_t> dims(rank);
    for (int64_t& dim : dims) dim = 1 + static_cast<int64_t>(generator() % 7);
    Layout layout;
    layout.permutation.resize(rank);
    std::iota(layout.permutation.begin(), layout.permutation.end(), 0);
    std::shuffle(layout.permutation.begin(), layout.permutation.end(), generator);
    const int block_count = static_cast<int>(generator() % 3);
    for (int i = 0; i < block_count; ++i) {
      layout.blocks.push_back(
          {static_cast<int>(generator() % rank), 2 + static_cast<int>(generator() % 3)});
    }
    ASSERT_TRUE(verify_layout(layout, rank).ok());
    const std::vector<int64_t> stored = numbers(physical_dims(layout, to_shape(dims)));
    const int64_t size =
        std::accumulate(stored.begin(), stored.end(), int64_t{1}, std::multiplies<>());
    ASSERT_EQ(physical_elements(layout, to_shape(dims)), Dim(size));

    int64_t count = 1;
    for (int64_t dim : dims) count *= dim;
    std::vector<bool> taken(size, false);
    const std::vector<int64_t> steps =
        layout.blocks.empty() ? numbers(strides(layout, to_shape(dims))) : std::vector<int64_t>();
    for (int64_t linear = 0; linear < count; ++linear) {
      std::vector<int64_t> index(rank);
      int64_t rest = linear;
      for (int axis = rank; axis-- > 0; rest /= dims[axis]) index[axis] = rest % dims[axis];
      int64_t expected = 0;
      for (size_t axis = 0; axis < steps.size(); ++axis) expected += index[axis] * steps[axis];

      std::vector<int64_t> outer = index, inner;
      for (const Layout::Block& block : layout.blocks) {
        inner.push_back(outer[block.axis] % block.size);
        outer[block.axis] /= block.size;
      }
      std::vector<int64_t> position;
      for (int axis : layout.permutation) position.push_back(outer[axis]);
      position.insert(position.end(), inner.begin(), inner.end());
      int64_t offset = 0;
      for (size_t i = 0; i < stored.size(); ++i) {
        ASSERT_LT(position[i], stored[i]) << to_string(layout, rank);
        offset = offset * stored[i] + position[i];
      }
      ASSERT_FALSE(taken[offset]) << "two elements share a place in " << to_string(layout, rank);
      taken[offset] = true;
      if (layout.blocks.empty()) {
        ASSERT_EQ(offset, expected) << to_string(layout, rank);
      }
    }
  }
}

TEST(Type, PrintsAndParsesBack) {
  for (const std::string text :
       {"f32[]", "i64[0]", "f8e4m3fnuz[N,ceil_div(H,2),3]", "f32[N,16,8,8]:nhwc",
        "u4[32,N]:perm(1,0)/block(0:16)", "bool[\"odd name\",2*N+1]"}) {
    const Result<TensorType> type = parse_type(text);
    ASSERT_TRUE(type.ok()) << type.status().message();
    EXPECT_EQ(to_string(*type), text);
    const Result<TensorType> again = parse_type(to_string(*type));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, *type);
  }
  for (const std::string text : {"", "f33[1]", "f32", "f32[1", "f32[1,]", "f32[1]:", "f32[1] x"}) {
    const Result<TensorType> type = parse_type(text);
    ASSERT_FALSE(type.ok()) << text;
    EXPECT_NE(type.status().message().find("expected"), std::string::npos)
        << type.status().message();
  }
}

TEST(Type, KnowsItsElements) {
  EXPECT_EQ(element_count({}), Dim(1));
  EXPECT_EQ(element_count({Dim::symbol("N"), 3, 4}).to_string(), "12*N");
  EXPECT_TRUE(is_static({2, 3}));
  EXPECT_FALSE(is_static({2, Dim::symbol("N")}));
  EXPECT_EQ(static_dims(to_shape({4, 0, 2})), (std::vector<int64_t>{4, 0, 2}));
}

}  // namespace
}  // namespace tenon::ir
