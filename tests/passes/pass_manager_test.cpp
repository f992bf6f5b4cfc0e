// SPDX-License-Identifier: Apache-2.0
#include "builder/pass_manager.h"

#include "builder/ir/text.h"
#include "builder/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kGraph = R"(graph @g {
  %0 "x" = input : f32[2,3]
  %1 = reshape(%0) {shape=[2,3]} : f32[2,3]
  %2 = relu(%1) : f32[2,3]
  %3 = relu(%1) : f32[2,3]
  %4 = add(%2, %3) : f32[2,3]
  output "y" = %4
}
)";

ir::Graph graph() { return std::move(ir::parse(kGraph)).value(); }

Result<bool> does_nothing(ir::Graph&, const passes::PassContext&) { return false; }

Result<bool> fails(ir::Graph&, const passes::PassContext&) {
  return Status(ErrorCode::unsupported, "node \"A\": too large");
}

/// Gives a relu the type of another tensor.
Result<bool> breaks(ir::Graph& graph, const passes::PassContext&) {
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() == "relu") node->output()->type.shape = {ir::Dim(7)};
  }
  return true;
}

Result<bool> leaves_dead_nodes(ir::Graph& graph, const passes::PassContext&) {
  graph.body().set_results({graph.body().parameter(0)});
  return true;
}

TEST(PassManager, NamesNearPassesForAnUnknownOne) {
  for (const bool disable : {true, false}) {
    ir::Graph g = graph();
    BuildOptions options;
    (disable ? options.disabled_passes : options.print_after) = {"canonicalise"};
    const Status status = run_passes(make_pipeline(), g, options, nullptr);
    EXPECT_EQ(status.code(), ErrorCode::bad_argument);
    EXPECT_THAT(status.message(), HasSubstr(disable ? "--disable-pass" : "--print-after"));
    EXPECT_THAT(status.message(), HasSubstr("\"canonicalise\""));
    EXPECT_THAT(status.message(), HasSubstr("did you mean canonicalize?"));
    EXPECT_EQ(ir::print(g), kGraph) << "a wrong option must not change the graph";
  }
}

TEST(PassManager, ListsAllPassesWhenNoneIsNear) {
  ir::Graph g = graph();
  BuildOptions options;
  options.disabled_passes = {"zzzzzzzzzzzz"};
  const Status status = run_passes(make_pipeline(), g, options, nullptr);
  for (const Pass& pass : make_pipeline()) EXPECT_THAT(status.message(), HasSubstr(pass.name));
}

TEST(PassManager, DoesNotSwitchOffARequiredPass) {
  const Pipeline pipeline = {{"a", "optional", leaves_dead_nodes},
                             {"a", "needed", does_nothing, true}};
  ir::Graph g = graph();
  BuildOptions options;
  options.disabled_passes = {"needed"};
  const Status status = run_passes(pipeline, g, options, nullptr);
  EXPECT_EQ(status.code(), ErrorCode::bad_argument);
  EXPECT_THAT(status.message(), HasSubstr("needed is required"));
  EXPECT_EQ(ir::print(g), kGraph) << "no pass must run before the options are checked";

  BuildReport report;
  options.disabled_passes = {"all"};
  ASSERT_TRUE(run_passes(pipeline, g, options, &report).ok());
  ASSERT_EQ(report.passes.size(), 1U) << "\"all\" leaves out the optional passes only";
  EXPECT_EQ(report.passes[0].name, "needed");
}

TEST(PassManager, LeavesOutDisabledPasses) {
  ir::Graph g = graph();
  BuildOptions options;
  options.disabled_passes = {"canonicalize", "fuse_groups"};
  ASSERT_TRUE(run_passes(make_pipeline(), g, options, nullptr).ok());
  const std::string text = ir::print(g);
  EXPECT_THAT(text, HasSubstr("reshape"));
  EXPECT_THAT(text, Not(HasSubstr("group(")));
}

TEST(PassManager, PrintsAfterTheNamedPasses) {
  ir::Graph g = graph();
  std::vector<std::string> printed;
  BuildOptions options;
  options.logger = [&](LogLevel, std::string_view text) { printed.emplace_back(text); };
  options.print_after = {"canonicalize"};
  ASSERT_TRUE(run_passes(make_pipeline(), g, options, nullptr).ok());
  ASSERT_EQ(printed.size(), 1U);
  EXPECT_THAT(printed[0], HasSubstr("// after canonicalize"));
  EXPECT_THAT(printed[0], Not(HasSubstr("reshape")));
  EXPECT_TRUE(ir::parse(printed[0]).ok()) << "what is printed parses back";

  printed.clear();
  options.print_after = {"all"};
  ir::Graph other = graph();
  ASSERT_TRUE(run_passes(make_pipeline(), other, options, nullptr).ok());
  EXPECT_EQ(printed.size(), make_pipeline().size());
}

TEST(PassManager, StopsAfterRewrites) {
  BuildOptions options;
  options.stop_after_rewrites = 0;
  ir::Graph g = graph();
  ASSERT_TRUE(run_passes(make_pipeline(), g, options, nullptr).ok());
  EXPECT_EQ(ir::print(g), kGraph);

  options.stop_after_rewrites = 1;
  BuildReport report;
  ASSERT_TRUE(run_passes(make_pipeline(), g, options, &report).ok());
  EXPECT_EQ(report.passes[0].name, "canonicalize");
  EXPECT_EQ(report.passes[0].rewrites, 1);
  for (size_t i = 1; i < report.passes.size(); ++i) EXPECT_EQ(report.passes[i].rewrites, 0);
}

TEST(PassManager, EndsWhenProgressSaysSo) {
  std::vector<std::string> phases;
  BuildOptions options;
  options.progress = [&](std::string_view phase, long done, long total) {
    EXPECT_EQ(done, static_cast<long>(phases.size()));
    EXPECT_EQ(total, 3);
    phases.emplace_back(phase);
    return phases.size() < 2;
  };
  const Pipeline pipeline = {
      {"one", "a", does_nothing}, {"two", "b", does_nothing}, {"two", "c", fails}};
  ir::Graph g = graph();
  const Status status = run_passes(pipeline, g, options, nullptr);
  EXPECT_EQ(status.code(), ErrorCode::cancelled);
  EXPECT_EQ(phases, (std::vector<std::string>{"one", "two"}));
}

TEST(PassManager, RemovesDeadNodes) {
  ir::Graph g = graph();
  ASSERT_TRUE(run_passes({{"a", "cuts", leaves_dead_nodes}}, g, {}, nullptr).ok());
  EXPECT_EQ(g.body().nodes().size(), 1U) << ir::print(g);
}

TEST(PassManager, AWrongGraphIsTheFaultOfItsPass) {
  ir::Graph g = graph();
  const Status status = run_passes({{"a", "breaks", breaks}}, g, {}, nullptr);
  EXPECT_EQ(status.code(), ErrorCode::internal);
  EXPECT_THAT(status.message(), HasSubstr("pass breaks left a wrong graph"));
}

TEST(PassManager, RefusesAWrongGraphBeforeTheFirstPass) {
  ir::Graph g = graph();
  passes::RewriteBudget budget;
  ASSERT_TRUE(breaks(g, {budget, false}).ok());
  const Status status = run_passes({{"a", "nothing", does_nothing}}, g, {}, nullptr);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), Not(HasSubstr("pass ")));
}

TEST(PassManager, SavesWhatAPassFailedOnAndSaysHowToRepeatIt) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "tenon_pass_manager_test";
  std::filesystem::create_directories(folder);
  const struct {
    const char* name;
    passes::PassFunction function;
    ErrorCode code;
  } cases[] = {{"fails", fails, ErrorCode::unsupported}, {"breaks", breaks, ErrorCode::internal}};
  for (const auto& each : cases) {
    const std::string path = (folder / ("tenon-" + std::string(each.name) + ".ir")).string();
    std::filesystem::remove(path);
    BuildOptions options;
    options.reproducer_directory = folder.string();
    ir::Graph g = graph();
    const Status status = run_passes({{"a", each.name, each.function}}, g, options, nullptr);
    EXPECT_EQ(status.code(), each.code);
    EXPECT_THAT(status.message(), HasSubstr("pass " + std::string(each.name)));
    EXPECT_THAT(status.message(), HasSubstr("tenon opt " + path + " --pass " + each.name));
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), kGraph) << "the graph as the pass got it";
  }
  std::filesystem::remove_all(folder);
}

TEST(PassManager, AFolderThatIsNotThereKeepsTheMessage) {
  BuildOptions options;
  options.reproducer_directory = testing::TempDir() + "/no/such/folder";
  ir::Graph g = graph();
  const Status status = run_passes({{"a", "fails", fails}}, g, options, nullptr);
  EXPECT_THAT(status.message(), HasSubstr("node \"A\": too large"));
  EXPECT_THAT(status.message(), Not(HasSubstr("tenon opt")));
}

}  // namespace
}  // namespace tenon
