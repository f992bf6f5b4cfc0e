// SPDX-License-Identifier: Apache-2.0
#include "builder/profile.h"

#include "builder/ir/text.h"
#include "builder/ir/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenon {
namespace {

using testing::HasSubstr;

ir::Graph graph(const std::string& lines) {
  return std::move(ir::parse("graph @g {\n" + lines + "}\n")).value();
}

constexpr const char* kImages = R"(
  %0 "image" = input : f32[N,3,H,8] where 0<=H, 0<=N
  %1 = reshape(%0) {shape=["N","24*H"]} : f32[N,24*H]
  output "y" = %1
)";

TEST(Profile, ALeadingSymbolTakesTheDefault) {
  ir::Graph g = graph("%0 \"x\" = input : f32[N,3] where 0<=N\noutput \"y\" = %0\n");
  ASSERT_TRUE(apply_profile(g, {}).ok());
  EXPECT_EQ(g.symbols.at("N").minimum, 1);
  EXPECT_EQ(g.symbols.at("N").optimum, 1);
  EXPECT_EQ(g.symbols.at("N").maximum, 64);
  EXPECT_EQ(describe_profile(g), "x 1x3:1x3:64x3");
}

TEST(Profile, ASymbolThatLeadsInOneInputIsKnownInOthers) {
  ir::Graph g = graph(
      "%0 \"a\" = input : f32[3,N] where 0<=N\n%1 \"b\" = input : f32[N]\noutput \"y\" = "
      "%0\noutput \"z\" = %1\n");
  EXPECT_TRUE(apply_profile(g, {}).ok());
}

TEST(Profile, AnotherSymbolAsksForShape) {
  ir::Graph g = graph(kImages);
  const Status status = apply_profile(g, {});
  EXPECT_EQ(status.code(), ErrorCode::bad_argument);
  EXPECT_THAT(status.message(), HasSubstr("\"image\""));
  EXPECT_THAT(status.message(), HasSubstr("dynamic dim H at position 2"));
  EXPECT_THAT(status.message(), HasSubstr("--shape image="));
}

TEST(Profile, ARangeOfOneSizeBecomesANumberEverywhere) {
  ir::Graph g = graph(kImages);
  ASSERT_TRUE(apply_profile(g, {{"image", {{1, 3, 8, 8}, {2, 3, 8, 8}, {4, 3, 8, 8}}}}).ok());
  EXPECT_EQ(g.symbols.count("H"), 0U);
  const std::string text = ir::print(g);
  EXPECT_THAT(text, HasSubstr("f32[N,192]"));
  EXPECT_THAT(text, testing::Not(HasSubstr("H")));
  EXPECT_TRUE(ir::verify(g).ok()) << ir::verify(g).to_string();
}

TEST(Profile, SymbolsThatDataDecidesKeepTheirBounds) {
  ir::Graph g =
      graph("symbols 0<=U<=7\n%0 \"x\" = input : f32[N,3] where 0<=N\noutput \"y\" = %0\n");
  ASSERT_TRUE(apply_profile(g, {}).ok());
  ASSERT_EQ(g.symbols.count("U"), 1U);
  EXPECT_EQ(g.symbols.at("U").maximum, 7);
}

TEST(Profile, WrongShapesNameTheInput) {
  const struct {
    ShapeProfile profile;
    const char* message;
  } cases[] = {
      {{{"img", {{1}, {1}, {1}}}}, "no input \"img\"; its inputs are: image"},
      {{{"image", {{1, 3, 8}, {1, 3, 8}, {1, 3, 8}}}},
       "has 4 dims [N,3,H,8], the shape given has 3"},
      {{{"image", {{1, 3, 8, 8}, {9, 3, 8, 8}, {4, 3, 8, 8}}}}, "N has the range 1:9:4"},
      {{{"image", {{-1, 3, 8, 8}, {1, 3, 8, 8}, {4, 3, 8, 8}}}}, "N has the range -1:1:4"},
      {{{"image", {{1, 4, 8, 8}, {1, 4, 8, 8}, {1, 4, 8, 8}}}},
       "dim 1 is 3 in the model, the shape given has 4"},
      {{{"image", {{1, 3, 8, 8}, {1, 5, 8, 8}, {1, 3, 8, 8}}}},
       "dim 1 is 3 in the model, the shape given has 5"},
  };
  for (const auto& each : cases) {
    ir::Graph g = graph(kImages);
    const Status status = apply_profile(g, each.profile);
    EXPECT_EQ(status.code(), ErrorCode::bad_argument);
    EXPECT_THAT(status.message(), HasSubstr(each.message));
  }
}

TEST(Profile, TwoRangesForOneSymbolAreAnError) {
  ir::Graph g = graph(
      "%0 \"a\" = input : f32[N] where 0<=N\n%1 \"b\" = input : f32[N]\noutput \"y\" = %0\noutput "
      "\"z\" = %1\n");
  const Status status = apply_profile(g, {{"a", {{1}, {1}, {4}}}, {"b", {{1}, {1}, {8}}}});
  EXPECT_EQ(status.code(), ErrorCode::bad_argument);
  EXPECT_THAT(status.message(), HasSubstr("N has two ranges, 1:1:4 and 1:1:8"));
}

TEST(Profile, AMinimumOfZeroIsAllowed) {
  ir::Graph g = graph("%0 \"x\" = input : f32[N] where 0<=N\noutput \"y\" = %0\n");
  ASSERT_TRUE(apply_profile(g, {{"x", {{0}, {1}, {4}}}}).ok());
  EXPECT_EQ(g.symbols.at("N").minimum, 0);
}

TEST(Profile, TheMaximumMustFitAnAddressSpace) {
  const std::vector<int64_t> one = {1, 3, 8, 8}, most = {int64_t{1} << 60, 3, 8, 8};
  ir::Graph g = graph(kImages);
  Status status = apply_profile(g, {{"image", {one, one, most}}});
  EXPECT_EQ(status.code(), ErrorCode::bad_argument);
  EXPECT_THAT(status.message(), HasSubstr("input \"image\": "));
  EXPECT_THAT(status.message(), HasSubstr("at the maximum of the profile"));

  g = graph("%0 \"x\" = input : f32[N,1] where 0<=N\n%1 = expand(%0) {shape=[\"N\",\"N\"]} : f32[N,N] "
            "from(\"grow\")\noutput \"y\" = %1\n");
  status = apply_profile(g, {{"x", {{1, 1}, {1, 1}, {int64_t{1} << 40, 1}}}});
  EXPECT_THAT(status.message(), HasSubstr("expand (grow) output 0: "));
}

}  // namespace
}  // namespace tenon
