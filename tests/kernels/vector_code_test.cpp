// SPDX-License-Identifier: Apache-2.0
// No scalar loop over whole tensors: the hot loop of every kernel of the models uses vector
// registers.
#include "builder/codegen/cpu/target.h"
#include "builder/compile_steps.h"
#include "builder/loop/text.h"
#include "builder/pipeline.h"
#include "builder/profile.h"

#include <tenon/builder.h>
#include <tenon/inspect.h>
#include <tenon/parser.h>
#include <tenon/runtime.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <map>

namespace tenon {
namespace {

constexpr int64_t kLargeOutput = 1024;
/// One register of AVX2 or AVX-512; f32 in half of one is as good as scalar here.
constexpr int kVectorBits = 256;

/// Kernels, by their operators, that may be scalar, and why.
const std::map<std::string, std::string> kReasons = {};

std::string path_of(const std::string& model) {
  if (model == "digits") return std::string(TENON_SOURCE_DIR) + "/samples/01_digits/digits.onnx";
  return std::string(TENON_DATA_DIR) + "/light/" + model + "/model.onnx";
}

int64_t elements_at_optimum(const ir::Graph& graph, const ir::TensorType& type) {
  return ir::element_count(type.shape)
      .evaluate([&](const std::string& symbol) -> std::optional<int64_t> {
        const auto found = graph.symbols.find(symbol);
        return found == graph.symbols.end() ? std::nullopt : std::optional(found->second.optimum);
      })
      .value_or(0);
}

class VectorCode : public testing::TestWithParam<const char*> {};

TEST_P(VectorCode, FillsTheHotLoopOfEveryLargeKernel) {
  Result<Network> network = parse_onnx(path_of(GetParam()));
  ASSERT_TRUE(network.ok()) << network.status().to_string();
  ir::Graph& graph = network->graph();
  BuildOptions options;
  const std::string input = graph.body().parameter(0)->name;
  if (std::string(GetParam()) == "digits")
    options.shapes[input] = {{1, 1, 8, 8}, {64, 1, 8, 8}, {360, 1, 8, 8}};
  ASSERT_EQ(apply_profile(graph, options.shapes).to_string(), "ok");
  ASSERT_EQ(run_passes(make_pipeline(), graph, options, nullptr).to_string(), "ok");
  const auto target = codegen::parse_target(options.target);
  ASSERT_TRUE(target.ok()) << target.status().to_string();
  const Result<emit::StepList> list = compile_steps(graph, *target, options);
  ASSERT_TRUE(list.ok()) << list.status().to_string();
  int large = 0;
  for (const emit::Step& step : list->steps) {
    int64_t elements = 0;
    for (int i = 0; i < step.node->output_count(); ++i) {
      elements = std::max(elements, elements_at_optimum(graph, step.node->output(i)->type));
    }
    if (elements <= kLargeOutput) continue;
    ++large;
    const int bits = list->codes[step.code].vector_bits;
    if (bits >= kVectorBits || kReasons.contains(step.operators)) continue;
    ADD_FAILURE() << step.operators << " ("
                  << fmt::format("{}", fmt::join(step.node->origins, ", ")) << ") computes "
                  << elements << " elements with " << bits << " bits at a time; schedule "
                  << loop::to_string(step.schedule) << "\n"
                  << loop::to_string(step.kernel);
  }
  EXPECT_GT(large, 0);
}

INSTANTIATE_TEST_SUITE_P(All, VectorCode,
                         testing::Values("digits", "bvlc_alexnet", "densenet121", "inception_v1",
                                         "inception_v2", "resnet50", "shufflenet", "squeezenet",
                                         "vgg19", "zfnet512"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Inspect, PrintsScheduleAndVectorWidthOfEveryKernel) {
  Result<Network> network = parse_onnx(path_of("digits"));
  ASSERT_TRUE(network.ok()) << network.status().to_string();
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("tenon_vector_code.{}.plan", getpid());
  ASSERT_EQ(build_plan_file(std::move(*network), path.string()).to_string(), "ok");
  const Result<Engine> engine = Engine::load(path.string());
  const Result<std::string> text = inspect_plan(path.string(), false);
  std::filesystem::remove(path);
  ASSERT_TRUE(engine.ok() && text.ok()) << engine.status().to_string() << text.status().to_string();
  for (const StepInfo& step : engine->steps()) {
    EXPECT_THAT(step.tactic,
                testing::AnyOf(testing::HasSubstr("general"), testing::HasSubstr("contraction")))
        << step.name;
    // A row has the schedule and, in the column beside it, the width.
    const size_t at = text->find(step.tactic);
    ASSERT_NE(at, std::string::npos) << step.name << " " << step.tactic << "\n" << *text;
    const size_t width = text->find_first_not_of(' ', at + step.tactic.size());
    EXPECT_THAT(text->substr(width, 4), testing::MatchesRegex("(64|128|256|512) .*"))
        << step.name << "\n"
        << *text;
  }
}

}  // namespace
}  // namespace tenon
