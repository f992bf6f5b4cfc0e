// SPDX-License-Identifier: Apache-2.0
#include "parser/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::parser {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Sorts nodes that are called by their only output. "x" and "w" are defined.
struct Sorted {
  explicit Sorted(const std::vector<std::pair<std::string, std::vector<std::string>>>& nodes) {
    std::vector<FlatNode> flat;
    for (const auto& [output, inputs] : nodes) {
      FlatNode node;
      node.op_type = "Op";
      node.opset = 17;
      node.name = output;
      node.index = static_cast<int64_t>(flat.size());
      node.inputs = inputs;
      node.outputs = {output};
      flat.push_back(node);
    }
    for (const FlatNode& node : sort_nodes(flat, {"x", "w"}, problems, failed)) {
      names.push_back(node.name);
    }
  }
  std::string error() const { return problems.summary(9).to_string(); }

  Problems problems;
  FailedValues failed;
  std::vector<std::string> names;
};

TEST(Order, KeepsTheFilesOrderWhenItIsOne) {
  const Sorted sorted({{"d", {"x"}}, {"a", {"d"}}, {"c", {"x"}}, {"b", {"c", "a"}}});
  EXPECT_THAT(sorted.names, ElementsAre("d", "a", "c", "b"));
  EXPECT_TRUE(sorted.problems.empty()) << sorted.error();
}

TEST(Order, MovesOnlyWhatMust) {
  const Sorted sorted({{"b", {"a"}}, {"c", {"x"}}, {"a", {"x", ""}}, {"d", {"w"}}});
  EXPECT_THAT(sorted.names, ElementsAre("c", "a", "b", "d"));
  EXPECT_TRUE(sorted.problems.empty()) << sorted.error();
}

TEST(Order, ACycleNamesItsNodes) {
  const Sorted sorted({{"a", {"x", "c"}}, {"b", {"a"}}, {"c", {"b"}}, {"d", {"c"}}, {"e", {"x"}}});
  EXPECT_THAT(sorted.names, ElementsAre("e"));
  EXPECT_EQ(sorted.problems.all().size(), 1u);
  EXPECT_THAT(sorted.error(),
              HasSubstr("it needs its own result: \"a\" -> \"b\" -> \"c\" -> \"a\""));
  EXPECT_TRUE(sorted.failed.contains("d")) << "what lies behind a cycle is no problem of its own";
}

TEST(Order, EachCycleIsReportedOnce) {
  const Sorted sorted({{"a", {"a"}}, {"b", {"c"}}, {"c", {"b", "a"}}, {"d", {"a", "c"}}});
  EXPECT_THAT(sorted.names, IsEmpty());
  EXPECT_EQ(sorted.problems.all().size(), 2u) << sorted.error();
}

TEST(Order, UndefinedInputs) {
  const Sorted sorted({{"a", {"nowhere"}}, {"b", {"a"}}, {"c", {"x"}}});
  EXPECT_EQ(sorted.problems.all().size(), 1u);
  EXPECT_THAT(sorted.error(),
              HasSubstr("node 0 \"a\" Op-17: its input \"nowhere\" is produced by nothing"));
  EXPECT_TRUE(sorted.failed.contains("a"));
}

TEST(Order, NamesAreDefinedOnce) {
  const Sorted sorted({{"a", {"x"}}, {"a", {"w"}}, {"x", {"w"}}});
  EXPECT_EQ(sorted.problems.all().size(), 2u);
  EXPECT_THAT(sorted.error(), HasSubstr("its output \"a\" is already an output of node 0 \"a\""));
  EXPECT_THAT(sorted.error(), HasSubstr("its output \"x\" is already an input or initialiser"));
}

}  // namespace
}  // namespace tenon::parser
