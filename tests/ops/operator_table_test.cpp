// SPDX-License-Identifier: Apache-2.0
// `tenon_test_ops --update --gtest_filter=OperatorTable.*` writes docs/operators.md anew.
#include "builder/ops/operator_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string_view>

namespace tenon {
namespace {

bool update_file = false;

TEST(OperatorTable, DocsAreCurrent) {
  const std::string path = std::string(TENON_SOURCE_DIR) + "/docs/operators.md";
  const std::string table = ops::operator_table();
  if (update_file) std::ofstream(path) << table;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), table)
      << "docs/operators.md is stale: tenon_test_ops --update --gtest_filter=OperatorTable.*";
}

}  // namespace
}  // namespace tenon

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) tenon::update_file |= std::string_view(argv[i]) == "--update";
  return RUN_ALL_TESTS();
}
