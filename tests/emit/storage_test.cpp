// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/storage.h"

#include "builder/ir/text.h"
#include "builder/memory/arena.h"
#include "builder/pipeline.h"
#include "tests/support/graph_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tenon::emit {
namespace {

/// A graph with its steps; values by the names that the text gives them.
struct Lowered {
  explicit Lowered(const std::string& lines, bool fuse = false)
      : graph(std::move(ir::parse("graph @g {\n" + lines + "}\n")).value()) {
    if (fuse) run_passes(make_pipeline(), graph, {}, nullptr).value();
    steps = std::move(testing_support::lowered_steps(graph)).value();
    storages = arena_storages(steps, graph);
    for (const auto& parameter : graph.body().parameters())
      values[parameter->name] = parameter.get();
    for (const auto& node : graph.body().nodes()) {
      for (int i = 0; i < node->output_count(); ++i)
        values[node->output(i)->name] = node->output(i);
    }
  }

  /// "a<b": b is written over a.
  std::vector<std::string> overwrites() const {
    std::vector<std::string> names;
    for (const auto& [storage, memory] : storages.overwrites)
      names.push_back(memory->name + "<" + storage->name);
    return names;
  }

  ir::Graph graph;
  StepList steps;
  ArenaStorages storages;
  std::map<std::string, const ir::Value*> values;
};

/// Blocks of a residual network: relu(conv(conv(x)) + x).
std::string residual_chain(int blocks) {
  std::string text = "%0 \"x\" = input : f32[1,4,16,16]\n%1 \"w\" = const : f32[4,4,1,1] [";
  for (int i = 0; i < 16; ++i) text += (i ? "," : "") + std::to_string(i % 3 - 1);
  text += "]\n%2 = max_pool(%0) {kernel_shape=[1,1]} : f32[1,4,16,16]\n";
  int last = 2;
  const auto line = [&](int number, const std::string& what) {
    text += "%" + std::to_string(number) + " = " + what + " : f32[1,4,16,16]\n";
  };
  const auto name = [](int number) { return "%" + std::to_string(number); };
  for (int block = 0; block < blocks; ++block) {
    line(last + 1, "conv(" + name(last) + ", %1)");
    line(last + 2, "relu(" + name(last + 1) + ")");
    line(last + 3, "conv(" + name(last + 2) + ", %1)");
    line(last + 4, "add(" + name(last + 3) + ", " + name(last) + ")");
    line(last + 5, "relu(" + name(last + 4) + ")");
    last += 5;
  }
  line(last + 1, "softmax(" + name(last) + ") {axis=3}");
  text += "output \"y\" = " + name(last + 1) + "\n";
  return text;
}

TEST(Storage, AViewIsTheMemoryItStartsFrom) {
  const Lowered g(R"(
    %0 "x" = input : f32[2,3]
    %1 "r" = relu(%0) : f32[2,3]
    %2 "v" = reshape(%1) {shape=[6]} : f32[6]
    %3 "w" = reshape(%2) {shape=[3,2]} : f32[3,2]
    %4 "u" = reshape(%0) {shape=[6]} : f32[6]
    output "y" = %3
    output "z" = %4
  )");
  EXPECT_EQ(storage_of(g.values.at("w")), g.values.at("r"));
  EXPECT_EQ(storage_of(g.values.at("v")), g.values.at("r"));
  EXPECT_EQ(storage_of(g.values.at("u")), g.values.at("x"));
  EXPECT_EQ(storage_of(g.values.at("r")), g.values.at("r"));
}

TEST(Storage, OutputsThatNoStepMayWriteAreCopied) {
  const Lowered g(R"(
    %0 "x" = input : f32[2]
    %1 "c" = const : f32[2] [1,2]
    %2 "r" = relu(%0) : f32[2]
    %3 "v" = reshape(%2) {shape=[1,2]} : f32[1,2]
    %4 "i" = reshape(%0) {shape=[1,2]} : f32[1,2]
    %5 "k" = reshape(%1) {shape=[1,2]} : f32[1,2]
    output "an input" = %0
    output "a constant" = %1
    output "computed" = %2
    output "the same again" = %2
    output "a view of it" = %3
    output "a view of an input" = %4
    output "a view of a constant" = %5
  )");
  EXPECT_EQ(outputs_written_in_place(g.graph),
            (std::vector<bool>{false, false, true, false, false, false, false}));
}

TEST(Storage, AViewOfAComputedTensorIsWrittenInPlace) {
  const Lowered g(R"(
    %0 "x" = input : f32[2]
    %1 "r" = relu(%0) : f32[2]
    %2 "v" = reshape(%1) {shape=[1,2]} : f32[1,2]
    output "y" = %2
  )");
  EXPECT_EQ(outputs_written_in_place(g.graph), (std::vector<bool>{true}));
  EXPECT_TRUE(g.storages.lifetimes.empty()) << "the caller's buffer is not in the arena";
}

TEST(Storage, ALifetimeReachesTheLastReaderThroughViews) {
  const Lowered g(R"(
    %0 "x" = input : f32[1,1,4]
    %1 "a" = softmax(%0) {axis=2} : f32[1,1,4]
    %2 "b" = softmax(%1) {axis=2} : f32[1,1,4]
    %3 "v" = reshape(%1) {shape=[4,1,1]} : f32[4,1,1]
    %4 "c" = softmax(%2) {axis=2} : f32[1,1,4]
    %5 "d" = softmax(%3) {axis=0} : f32[4,1,1]
    output "y" = %4
    output "z" = %5
  )");
  ASSERT_EQ(g.storages.lifetimes.size(), 2U);
  const Lifetime a = g.storages.lifetimes.at(g.values.at("a"));
  EXPECT_EQ(a.first, 0);
  EXPECT_EQ(a.last, 3);
  const Lifetime b = g.storages.lifetimes.at(g.values.at("b"));
  EXPECT_EQ(b.first, 1);
  EXPECT_EQ(b.last, 2);
}

TEST(Storage, AnUnusedResultLivesForItsStep) {
  const Lowered g(R"(
    %0 "x" = input : f32[2]
    %1 "unused" = relu(%0) : f32[2]
    %2 "y" = tanh(%0) : f32[2]
    output "y" = %2
  )");
  ASSERT_EQ(g.storages.lifetimes.size(), 1U);
  EXPECT_EQ(g.storages.lifetimes.begin()->second.first, 0);
  EXPECT_EQ(g.storages.lifetimes.begin()->second.last, 0);
}

TEST(InPlace, APointwiseChainTakesOneBuffer) {
  const Lowered g(R"(
    %0 "x" = input : f32[N,3] where 1<=N<=8 opt 1
    %1 "a" = relu(%0) : f32[N,3]
    %2 "b" = tanh(%1) : f32[N,3]
    %3 "c" = sigmoid(%2) : f32[N,3]
    %4 "d" = relu(%3) : f32[N,3]
    output "y" = %4
  )");
  EXPECT_THAT(g.overwrites(), testing::UnorderedElementsAre("a<b", "a<c"));
  ASSERT_EQ(g.storages.lifetimes.size(), 1U);
  const Lifetime life = g.storages.lifetimes.begin()->second;
  EXPECT_EQ(life.first, 0);
  EXPECT_EQ(life.last, 3);
  EXPECT_EQ(g.storages.memory_of(g.values.at("c")), g.values.at("a"));
}

TEST(InPlace, AResidualSumWritesOverTheSkip) {
  const Lowered g(R"(
    %0 "x" = input : f32[1,2,4]
    %1 "w" = const : f32[2,2,1] [1,2,3,4]
    %2 "skip" = relu(%0) : f32[1,2,4]
    %3 "sum" = group(%2, %1, %2) (%4 : f32[1,2,4], %5 : f32[2,2,1], %6 : f32[1,2,4]) {
      %7 = relu(%6) : f32[1,2,4]
      return %7
    } : f32[1,2,4]
    %8 "conv" = conv(%3, %1) : f32[1,2,4]
    %9 "out" = group(%8, %1, %3) (%10 : f32[1,2,4], %11 : f32[2,2,1], %12 : f32[1,2,4]) {
      %13 = conv(%10, %11) : f32[1,2,4]
      %14 = add(%13, %12) : f32[1,2,4]
      return %14
    } : f32[1,2,4]
    %15 "end" = softmax(%9) {axis=2} : f32[1,2,4]
    output "y" = %15
  )");
  // The convolution reads "conv" at many points, "sum" at the point that it writes.
  EXPECT_THAT(g.overwrites(), testing::UnorderedElementsAre("skip<sum", "skip<out"));
}

/// The step that makes "b" from "a" must not write over it.
void expect_apart(const std::string& lines) {
  const Lowered g(lines);
  EXPECT_TRUE(g.overwrites().empty()) << testing::PrintToString(g.overwrites()) << " in " << lines;
}

TEST(InPlace, ATransposeReadsElsewhere) {
  expect_apart(R"(
    %0 "x" = input : f32[3,3]
    %1 "a" = relu(%0) : f32[3,3]
    %2 "b" = transpose(%1) {perm=[1,0]} : f32[3,3]
    %3 "c" = softmax(%2) {axis=1} : f32[3,3]
    output "y" = %3
  )");
}

TEST(InPlace, ASoftmaxReadsItsWholeRow) {
  expect_apart(R"(
    %0 "x" = input : f32[3,3]
    %1 "a" = relu(%0) : f32[3,3]
    %2 "b" = softmax(%1) {axis=1} : f32[3,3]
    %3 "c" = softmax(%2) {axis=1} : f32[3,3]
    output "y" = %3
  )");
}

TEST(InPlace, ABroadcastReadsAnElementAgain) {
  expect_apart(R"(
    %0 "x" = input : f32[1,3]
    %1 "z" = input : f32[3,3]
    %2 "a" = relu(%0) : f32[1,3]
    %3 "b" = add(%2, %1) : f32[3,3]
    %4 "c" = softmax(%3) {axis=1} : f32[3,3]
    output "y" = %4
  )");
}

TEST(InPlace, OtherElementWidthsDiffer) {
  expect_apart(R"(
    %0 "x" = input : f32[4]
    %1 "a" = relu(%0) : f32[4]
    %2 "b" = cast(%1) {to="f16"} : f16[4]
    %3 "c" = softmax(%2) {axis=0} : f16[4]
    output "y" = %3
  )");
}

TEST(InPlace, ALaterReaderKeepsTheInput) {
  expect_apart(R"(
    %0 "x" = input : f32[4]
    %1 "a" = relu(%0) : f32[4]
    %2 "b" = tanh(%1) : f32[4]
    %3 "c" = softmax(%2) {axis=0} : f32[4]
    %4 "d" = softmax(%1) {axis=0} : f32[4]
    output "y" = %3
    output "z" = %4
  )");
}

TEST(InPlace, TheSameTensorAtTwoPointsIsNotOverwritten) {
  expect_apart(R"(
    %0 "x" = input : f32[3,3]
    %1 "a" = relu(%0) : f32[3,3]
    %2 "b" = group(%1) (%3 : f32[3,3]) {
      %4 = transpose(%3) {perm=[1,0]} : f32[3,3]
      %5 = add(%3, %4) : f32[3,3]
      return %5
    } : f32[3,3]
    %6 "c" = softmax(%2) {axis=1} : f32[3,3]
    output "y" = %6
  )");
}

TEST(InPlace, InputsConstantsAndOutputsOfTheCallerAreNot) {
  expect_apart(R"(
    %0 "x" = input : f32[4]
    %1 "k" = const : f32[4] [1,2,3,4]
    %2 "a" = relu(%0) : f32[4]
    %3 "b" = add(%0, %1) : f32[4]
    %4 "c" = tanh(%2) : f32[4]
    %5 "d" = softmax(%3) {axis=0} : f32[4]
    output "a" = %2
    output "y" = %4
    output "z" = %5
  )");
}

TEST(InPlace, AnOperandTwiceIsReadAtOnePoint) {
  const Lowered g(R"(
    %0 "x" = input : f32[4]
    %1 "a" = relu(%0) : f32[4]
    %2 "b" = mul(%1, %1) : f32[4]
    %3 "c" = softmax(%2) {axis=0} : f32[4]
    output "y" = %3
  )");
  EXPECT_THAT(g.overwrites(), testing::ElementsAre("a<b"));
}

TEST(InPlace, AViewOfTheInputIsTheSameMemory) {
  const Lowered g(R"(
    %0 "x" = input : f32[2,3]
    %1 "a" = relu(%0) : f32[2,3]
    %2 "v" = reshape(%1) {shape=[6]} : f32[6]
    %3 "b" = tanh(%2) : f32[6]
    %4 "c" = softmax(%3) {axis=0} : f32[6]
    output "y" = %4
  )");
  EXPECT_THAT(g.overwrites(), testing::ElementsAre("a<b"));
}

TEST(InPlace, OfTwoDyingInputsTheFirstIsTaken) {
  const Lowered g(R"(
    %0 "x" = input : f32[4]
    %1 "a" = relu(%0) : f32[4]
    %2 "b" = tanh(%0) : f32[4]
    %3 "c" = add(%2, %1) : f32[4]
    %4 "d" = softmax(%3) {axis=0} : f32[4]
    output "y" = %4
  )");
  EXPECT_THAT(g.overwrites(), testing::ElementsAre("b<c"));
}

TEST(InPlace, AResidualNetworkNeedsTwoBuffersInsteadOfThree) {
  const Lowered g(residual_chain(4), true);
  std::vector<memory::ArenaBuffer> buffers;
  for (const auto& [storage, life] : g.storages.lifetimes) {
    const int64_t bytes =
        byte_size(DataType::f32, ir::element_count(storage->type.shape).constant());
    buffers.push_back({ir::Dim(bytes), bytes, life.first, life.last});
  }
  constexpr int64_t kTensor = 4 * 16 * 16 * 4;
  EXPECT_EQ(memory::plan_arena(buffers).bytes, 2 * kTensor) << ir::print(g.graph);
}

}  // namespace
}  // namespace tenon::emit
