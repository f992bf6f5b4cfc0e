// SPDX-License-Identifier: Apache-2.0
#include "builder/execute/reference_run.h"

#include "builder/ir/constant.h"
#include "builder/ir/text.h"

#include <tenon/verify.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ir::Graph parse(const char* text) {
  Result<ir::Graph> graph = ir::parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  return *std::move(graph);
}

TensorData floats(std::vector<int64_t> dims, const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return ir::make_tensor(DataType::f32, std::move(dims), {bytes.begin(), bytes.end()});
}

constexpr const char* kSum = R"(graph @sum {
  %0 "x" = input : f32[N,2]   where 1<=N<=8 opt 2
  %1 "w" = const : f32[2] [10,20]
  %2 "a" = add(%0, %1) : f32[N,2]
  %3 "y" = relu(%2) : f32[N,2]
  output "answer" = %3
})";

TEST(ReferenceRun, RunsNodeByNodeAndGivesEachValue) {
  const ir::Graph graph = parse(kSum);
  Result<ReferenceRun> run = ReferenceRun::start(graph, {{"x", floats({1, 2}, {-30, 5})}});
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  std::vector<std::string> seen;
  const auto note = [&](const ir::Value& value, const ops::ReferenceTensor& tensor) {
    seen.push_back(value.name);
    EXPECT_THAT(tensor.dims, ElementsAre(1, 2));
  };
  ASSERT_TRUE(run->step(note).ok());
  EXPECT_THAT(seen, ElementsAre("a"));
  EXPECT_FALSE(run->done());
  ASSERT_TRUE(run->finish(note).ok());
  EXPECT_THAT(seen, ElementsAre("a", "y"));
  const Result<ops::ReferenceTensor> answer = run->output(0);
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer->reals, ElementsAre(0, 25));
}

TEST(ReferenceRun, RunsTheRegionsOfGroups) {
  const ir::Graph graph = parse(R"(graph @group {
  %0 "x" = input : f32[2]
  %1 "y" = group(%0) (%2 : f32[2]) {
    %3 "inner" = neg(%2) : f32[2]
    %4 = relu(%3) : f32[2]
    return %4
  } : f32[2]
  output "y" = %1
})");
  Result<ReferenceRun> run = ReferenceRun::start(graph, {{"x", floats({2}, {-3, 4})}});
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  std::vector<std::string> seen;
  ASSERT_TRUE(
      run->finish([&](const ir::Value& value, const auto&) { seen.push_back(value.name); }).ok());
  EXPECT_THAT(seen, ElementsAre("inner", ""));
  EXPECT_THAT(run->output(0).value().reals, ElementsAre(3, 0));
}

TEST(ReferenceRun, GivesInputsAndConstantsAsOutputs) {
  const ir::Graph graph = parse(R"(graph @through {
  %0 "x" = input : f32[2]
  %1 "c" = const : f32[1] [7]
  output "same" = %0
  output "seven" = %1
})");
  Result<ReferenceRun> run = ReferenceRun::start(graph, {{"x", floats({2}, {1, 2})}});
  ASSERT_TRUE(run.ok()) << run.status().to_string();
  EXPECT_TRUE(run->done());
  EXPECT_THAT(run->output(0).value().reals, ElementsAre(1, 2));
  EXPECT_THAT(run->output(1).value().reals, ElementsAre(7));
}

TEST(ReferenceRun, SaysWhatIsWrongWithInputs) {
  const ir::Graph graph = parse(kSum);
  const auto message = [&](const std::map<std::string, TensorData>& inputs) {
    return ReferenceRun::start(graph, inputs).status().message();
  };
  EXPECT_THAT(message({}), HasSubstr("\"x\""));
  EXPECT_THAT(message({{"x", floats({2}, {1, 2})}}), HasSubstr("f32[N,2]"));
  EXPECT_THAT(message({{"x", floats({1, 3}, {1, 2, 3})}}), HasSubstr("axis 1"));
  EXPECT_THAT(message({{"x", floats({2, 2}, {1, 2, 3})}}), HasSubstr("12 bytes"));
}

TEST(RandomTensor, RepeatsAndSpreads) {
  const TensorData first = random_tensor(DataType::f32, {1000}, 1).value();
  const TensorData again = random_tensor(DataType::f32, {1000}, 1).value();
  const TensorData other = random_tensor(DataType::f32, {1000}, 2).value();
  EXPECT_TRUE(std::equal(first.bytes.begin(), first.bytes.end(), again.bytes.begin()));
  EXPECT_FALSE(std::equal(first.bytes.begin(), first.bytes.end(), other.bytes.begin()));
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const double value = ir::element_as_double(first, i);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 1000, 0, 0.2);
  EXPECT_NEAR(squares / 1000, 1, 0.2);
  const TensorData integers = random_tensor(DataType::i64, {100}, 1).value();
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_GE(ir::element_as_integer(integers, i), 0);
    EXPECT_LE(ir::element_as_integer(integers, i), 3);
  }
  EXPECT_FALSE(random_tensor(DataType::f32, {int64_t{1} << 40, int64_t{1} << 40}, 1).ok());
  EXPECT_FALSE(random_tensor(DataType::f4e2m1, {2}, 1).ok());
}

}  // namespace
}  // namespace tenon
