// SPDX-License-Identifier: Apache-2.0
// Whole models, with no passes and with all: every tensor against the reference, the output against ONNX
// Runtime, the bits of the output for several thread counts.
#include "tests/models/model_case.h"

#include <tenon/parser.h>
#include <tenon/verify.h>

#include "tools/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace tenon::models {
namespace {

/// Relative L2 error that whole models may have in f32.
constexpr double kLimit = 1e-3;

class Models : public testing::TestWithParam<std::tuple<ModelCase, bool>> {
 protected:
  const ModelCase& model() const { return std::get<0>(GetParam()); }
  bool passes() const { return std::get<1>(GetParam()); }
};

TEST_P(Models, AgreesWithReferenceAndOnnxRuntime) {
  const PlanFile plan(model(), options_for(model(), passes()));
  ASSERT_TRUE(plan.status().ok()) << plan.status().to_string();
  const Result<Engine> engine = Engine::load(plan.path());
  ASSERT_TRUE(engine.ok()) << engine.status().to_string();

  const Result<std::vector<float>> output = run(*engine, model());
  ASSERT_TRUE(output.ok()) << output.status().to_string();
  const std::vector<float> expected = read_floats(model().expected);
  ASSERT_FALSE(expected.empty()) << "no " << model().expected << "; the fixture makes it";
  EXPECT_LE(relative_l2(*output, expected), kLimit) << "against ONNX Runtime";

  Result<Network> network = parse_onnx(model().model);
  ASSERT_TRUE(network.ok()) << network.status().to_string();
  Result<TensorData> input = tools::read_npy(model().input);
  ASSERT_TRUE(input.ok()) << input.status().to_string();
  VerifyOptions options;
  options.inputs[engine->inputs()[0].name] = *input;
  options.relative_l2_limit = kLimit;
  const Result<VerifyReport> report = verify_plan(*network, *engine, options);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_GT(report->compared, 0);
  for (const TensorComparison& failure : report->failures) {
    ADD_FAILURE() << failure.tensor << ": relative L2 " << failure.relative_l2 << ", NaN "
                  << failure.has_nan << ", first ONNX node "
                  << (failure.origins.empty() ? "-" : failure.origins[0]);
  }
}

TEST_P(Models, GivesTheSameBitsForOneTwoAndFiveThreads) {
  const PlanFile plan(model(), options_for(model(), passes()));
  ASSERT_TRUE(plan.status().ok()) << plan.status().to_string();
  std::vector<float> first;
  for (const uint32_t threads : {1u, 2u, 5u}) {
    EngineOptions options;
    options.threads = threads;
    const Result<Engine> engine = Engine::load(plan.path(), options);
    ASSERT_TRUE(engine.ok()) << engine.status().to_string();
    const Result<std::vector<float>> output = run(*engine, model());
    ASSERT_TRUE(output.ok()) << output.status().to_string();
    if (first.empty()) first = *output;
    EXPECT_TRUE(std::equal(first.begin(), first.end(), output->begin(), output->end()))
        << threads << " threads differ from one by relative L2 " << relative_l2(*output, first);
  }
}

TEST(Digits, PredictsAsOnnxRuntimeOnEveryImage) {
  const ModelCase digits = all_models()[0];
  const PlanFile plan(digits, options_for(digits, true));
  ASSERT_TRUE(plan.status().ok()) << plan.status().to_string();
  const Result<Engine> engine = Engine::load(plan.path());
  ASSERT_TRUE(engine.ok()) << engine.status().to_string();
  const Result<std::vector<float>> output = run(*engine, digits);
  ASSERT_TRUE(output.ok()) << output.status().to_string();
  const std::vector<float> expected = read_floats(digits.expected);
  ASSERT_EQ(output->size(), expected.size());
  const auto best = [](const std::vector<float>& rows, size_t row) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * 10);
    return std::max_element(begin, begin + 10) - begin;
  };
  for (size_t row = 0; row < expected.size() / 10; ++row) {
    EXPECT_EQ(best(*output, row), best(expected, row)) << "image " << row;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Models, testing::Combine(testing::ValuesIn(all_models()), testing::Bool()),
                         [](const auto& info) {
                           return std::get<0>(info.param).name +
                                  (std::get<1>(info.param) ? "_all_passes" : "_no_passes");
                         });

}  // namespace
}  // namespace tenon::models
