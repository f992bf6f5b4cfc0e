// SPDX-License-Identifier: Apache-2.0
#include "runtime/shape_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace tenon::runtime {
namespace {

using plan::DimInstruction;
using plan::DimOp;

constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

Result<int64_t> apply(DimOp op, int64_t a, int64_t b) {
  const std::vector<DimInstruction> program = {
      {DimOp::constant, a, 0}, {DimOp::constant, b, 0}, {op, 0, 1}};
  std::vector<int64_t> results(3);
  TENON_RETURN_IF_ERROR(evaluate_dims(program, {}, results));
  return results[2];
}

TEST(ShapeProgram, ComputesEachOperation) {
  EXPECT_EQ(apply(DimOp::add, 3, 4).value(), 7);
  EXPECT_EQ(apply(DimOp::subtract, 3, 4).value(), -1);
  EXPECT_EQ(apply(DimOp::multiply, 3, -4).value(), -12);
  EXPECT_EQ(apply(DimOp::floor_div, 7, 2).value(), 3);
  EXPECT_EQ(apply(DimOp::floor_div, -7, 2).value(), -4);
  EXPECT_EQ(apply(DimOp::mod, -7, 4).value(), 1);
  EXPECT_EQ(apply(DimOp::minimum, 3, 4).value(), 3);
  EXPECT_EQ(apply(DimOp::maximum, 3, 4).value(), 4);
  EXPECT_EQ(apply(DimOp::round_up, 65, 64).value(), 128);
  EXPECT_EQ(apply(DimOp::round_up, 0, 64).value(), 0);
}

TEST(ShapeProgram, ReportsOverflowAndDivisionByZero) {
  for (const auto& [op, a, b] :
       std::vector<std::tuple<DimOp, int64_t, int64_t>>{{DimOp::add, kHighest, 1},
                                                        {DimOp::subtract, kLowest, 1},
                                                        {DimOp::multiply, kHighest / 2 + 1, 2},
                                                        {DimOp::floor_div, 1, 0},
                                                        {DimOp::floor_div, kLowest, -1},
                                                        {DimOp::mod, 1, 0},
                                                        {DimOp::round_up, kHighest, 64}}) {
    const Status status = apply(op, a, b).status();
    EXPECT_EQ(status.code(), ErrorCode::bad_argument);
    EXPECT_THAT(status.message(), ::testing::HasSubstr("dim 2 of the plan overflows or divides"));
  }
}

TEST(ShapeProgram, BoundsHoldForAllValues) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Interval> ranges;
    for (int s = 0; s < 2; ++s) {
      const int64_t minimum = static_cast<int64_t>(random() % 10) - 3;
      ranges.push_back({minimum, minimum + static_cast<int64_t>(random() % 6)});
    }
    std::vector<DimInstruction> program = {
        {DimOp::symbol, 0, 0}, {DimOp::symbol, 1, 0}, {DimOp::constant, 3, 0}};
    for (int64_t i = 3; i < 7; ++i) {
      const auto op = static_cast<DimOp>(2 + random() % 8);
      const int64_t b = op == DimOp::round_up ? 2 : random() % i;
      program.emplace_back(op, random() % i, b);
    }
    const std::vector<Interval> bounds = bound_dims(program, ranges);
    std::vector<int64_t> results(program.size());
    for (int64_t x = ranges[0].minimum; x <= ranges[0].maximum; ++x) {
      for (int64_t y = ranges[1].minimum; y <= ranges[1].maximum; ++y) {
        if (!evaluate_dims(program, std::vector<int64_t>{x, y}, results).ok()) continue;
        for (size_t i = 0; i < results.size(); ++i) {
          ASSERT_GE(results[i], bounds[i].minimum) << "round " << round << ", dim " << i;
          ASSERT_LE(results[i], bounds[i].maximum) << "round " << round << ", dim " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenon::runtime
