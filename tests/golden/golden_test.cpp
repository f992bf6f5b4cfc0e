// SPDX-License-Identifier: Apache-2.0
// Pass tests in text: each file below tests/golden/<pass>/ holds a graph and what the pass makes of
// it.
//   // RUN: tenon opt --pass=NAME[,NAME...]
//   graph @g { ... }
//   // EXPECT: unchanged            or    // EXPECT:  followed by the expected graph
// `tenon_test_golden --update` writes what the passes give now into the files.
#include "builder/ir/text.h"
#include "builder/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {
namespace {

bool update_files = false;
constexpr std::string_view kRun = "// RUN: tenon opt --pass=";
constexpr std::string_view kExpect = "// EXPECT:";

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct GoldenCase {
  std::vector<std::string> passes;
  std::string input, expected;
  bool unchanged = false;
};

GoldenCase split(const std::string& text) {
  GoldenCase golden;
  const size_t run = text.find(kRun);
  const size_t expect = text.find(kExpect);
  if (run == std::string::npos || expect == std::string::npos) return golden;
  std::stringstream names(text.substr(run + kRun.size(), text.find('\n', run) - run - kRun.size()));
  for (std::string name; std::getline(names, name, ',');) golden.passes.push_back(name);
  golden.input = text.substr(0, expect);
  const size_t line_end = text.find('\n', expect);
  golden.unchanged = text.substr(expect, line_end - expect).find("unchanged") != std::string::npos;
  golden.expected = golden.unchanged ? golden.input : text.substr(line_end + 1);
  return golden;
}

const Pass* find_pass(const Pipeline& pipeline, const std::string& name) {
  for (const Pass& pass : pipeline) {
    if (pass.name == name) return &pass;
  }
  return nullptr;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, PassGivesTheExpectedGraph) {
  const std::string path = std::string(TENON_SOURCE_DIR) + "/tests/golden/" + GetParam();
  const std::string text = read_file(path);
  const GoldenCase golden = split(text);
  ASSERT_FALSE(golden.passes.empty()) << path << " lacks a RUN or an EXPECT line";
  Result<ir::Graph> graph = ir::parse(golden.input);
  ASSERT_TRUE(graph.ok()) << path << ": " << graph.status().to_string();
  const std::string before = ir::print(*graph);

  const Pipeline pipeline = make_pipeline();
  passes::RewriteBudget budget;
  const passes::PassContext context{budget, false};
  for (const std::string& name : golden.passes) {
    const Pass* pass = find_pass(pipeline, name);
    ASSERT_NE(pass, nullptr) << path << ": no pass is named " << name;
    const Result<bool> changed = run_pass(*pass, *graph, context);
    ASSERT_TRUE(changed.ok()) << path << ": " << changed.status().to_string();
    if (golden.unchanged) {
      EXPECT_FALSE(*changed) << name << " says it changed the graph";
    }
  }
  const std::string after = ir::print(*graph);
  if (update_files) {
    const std::string head = text.substr(0, text.find(kExpect));
    std::ofstream(path) << head << kExpect << (after == before ? " unchanged\n" : "\n" + after);
    return;
  }
  Result<ir::Graph> expected = ir::parse(golden.expected);
  ASSERT_TRUE(expected.ok()) << path << ", expected: " << expected.status().to_string();
  EXPECT_EQ(after, ir::print(*expected))
      << path << "\n(tenon_test_golden --update rewrites the file)";
}

std::vector<std::string> golden_files() {
  const std::filesystem::path root = std::string(TENON_SOURCE_DIR) + "/tests/golden";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".ir") continue;
    files.push_back(std::filesystem::relative(entry.path(), root).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Passes, Golden, testing::ValuesIn(golden_files()), [](const auto& info) {
  std::string name = info.param.substr(0, info.param.size() - 3);
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});

TEST(GoldenFiles, EveryPassHasAsManyUnchangedCasesAsChangingOnes) {
  std::map<std::string, int> changing, unchanged;
  for (const std::string& file : golden_files()) {
    const std::string pass = file.substr(0, file.find('/'));
    const GoldenCase golden =
        split(read_file(std::string(TENON_SOURCE_DIR) + "/tests/golden/" + file));
    ++(golden.unchanged ? unchanged : changing)[pass];
  }
  for (const Pass& pass : make_pipeline()) {
    EXPECT_GE(changing[pass.name], 1) << pass.name << " has no golden test that changes a graph";
    EXPECT_GE(unchanged[pass.name], changing[pass.name])
        << pass.name << " needs as many \"must not change\" cases as changing ones";
  }
}

}  // namespace
}  // namespace tenon

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) tenon::update_files |= std::string_view(argv[i]) == "--update";
  return RUN_ALL_TESTS();
}
