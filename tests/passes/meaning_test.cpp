// SPDX-License-Identifier: Apache-2.0
// Rewriting keeps what a graph means: random networks before and after the passes, by the
// references of their operators and by their kernels.
#include "builder/ir/text.h"
#include "builder/ir/verify.h"
#include "builder/ops/op.h"
#include "builder/pipeline.h"
#include "builder/profile.h"
#include "tests/support/graph_runs.h"
#include "tests/support/random_network.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tenon {
namespace {

namespace support = testing_support;

constexpr DataType kTypes[] = {DataType::f64, DataType::f64, DataType::f32, DataType::f16};

struct Example {
  Network network;
  support::Inputs inputs;
  support::Outputs expected;

  const ir::Graph& graph() { return network.graph(); }
};

Example make_example(uint32_t seed) {
  Example example{support::random_network(seed, kTypes[seed % 4]), {}, {}};
  apply_profile(example.network.graph(), {}).value();
  example.inputs = support::random_inputs(example.graph(), {{"N", 1 + seed % 3}}, seed);
  auto expected = support::run_by_reference(example.graph(), example.inputs);
  EXPECT_TRUE(expected.ok()) << expected.status().to_string() << "\n" << example.network.to_text();
  if (expected.ok()) example.expected = *expected;
  return example;
}

/// Fails unless `graph` is sound and gives what the untouched graph gave.
void expect_same_meaning(const ir::Graph& graph, const Example& example, const std::string& what) {
  const std::string text = what + "\n" + ir::print(graph);
  ASSERT_TRUE(ir::verify(graph).ok()) << ir::verify(graph).to_string() << "\n" << text;
  ASSERT_TRUE(ops::verify_operators(graph).ok()) << ops::verify_operators(graph).to_string() << "\n"
                                                 << text;
  const auto outputs = support::run_by_reference(graph, example.inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().to_string() << "\n" << text;
  ASSERT_EQ(support::difference(*outputs, example.expected), "") << text;
}

class Meaning : public testing::TestWithParam<uint32_t> {};

TEST_P(Meaning, EachPassAloneKeepsIt) {
  Example example = make_example(GetParam());
  for (const Pass& pass : make_pipeline()) {
    ir::Graph graph = example.graph().clone();
    passes::RewriteBudget budget;
    const auto changed = run_pass(pass, graph, {budget, false});
    ASSERT_TRUE(changed.ok()) << changed.status().to_string() << "\n" << example.network.to_text();
    expect_same_meaning(graph, example, pass.name);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Meaning, ThePipelineKeepsItAtEveryNumberOfRewrites) {
  Example example = make_example(GetParam());
  BuildReport report;
  ir::Graph all = example.graph().clone();
  ASSERT_TRUE(run_passes(make_pipeline(), all, {}, &report).ok());
  int64_t rewrites = 0;
  for (const PassTime& pass : report.passes) rewrites += pass.rewrites;
  for (int64_t limit = 0; limit <= rewrites; ++limit) {
    ir::Graph graph = example.graph().clone();
    BuildOptions options;
    options.stop_after_rewrites = limit;
    const Status status = run_passes(make_pipeline(), graph, options, nullptr);
    ASSERT_TRUE(status.ok()) << "--stop-after " << limit << ": " << status.to_string() << "\n"
                             << example.network.to_text();
    expect_same_meaning(graph, example, "--stop-after " + std::to_string(limit));
    if (HasFatalFailure()) return;
    if (limit == rewrites) {
      EXPECT_EQ(ir::print(graph), ir::print(all));
    }
  }
}

TEST_P(Meaning, KernelsOfTheGroupsKeepIt) {
  Example example = make_example(GetParam());
  for (const bool fused : {false, true}) {
    ir::Graph graph = example.graph().clone();
    BuildOptions options;
    if (!fused) options.disabled_passes = {"all"};
    ASSERT_TRUE(run_passes(make_pipeline(), graph, options, nullptr).ok());
    const auto outputs = support::run_by_kernels(graph, example.inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status().to_string() << "\n" << ir::print(graph);
    ASSERT_EQ(support::difference(*outputs, example.expected), "") << ir::print(graph);
  }
}

TEST_P(Meaning, RewritingIsDeterministicAndItsTextParsesBack) {
  Example first = make_example(GetParam()), second = make_example(GetParam());
  BuildOptions options;
  ir::Graph& graph = first.network.graph();
  ASSERT_TRUE(run_passes(make_pipeline(), graph, options, nullptr).ok());
  ASSERT_TRUE(run_passes(make_pipeline(), second.network.graph(), options, nullptr).ok());
  ir::ConstantFile constants;
  const std::string text = ir::print(graph, &constants);
  EXPECT_EQ(text, ir::print(second.graph()));
  const auto parsed = ir::parse(text, &constants);
  ASSERT_TRUE(parsed.ok()) << parsed.status().to_string() << "\n" << text;
  EXPECT_EQ(ir::print(*parsed), text);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Meaning, testing::Range(0U, 60U));
INSTANTIATE_TEST_SUITE_P(ExtendedSeeds, Meaning, testing::Range(1000U, 2000U));

}  // namespace
}  // namespace tenon
