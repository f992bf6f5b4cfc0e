// SPDX-License-Identifier: Apache-2.0
// Every operator on every example beside its definition: the reference against its lowering, which
// the interpreter runs.
#include "builder/ir/text.h"
#include "builder/ir/verify.h"
#include "builder/ops/op.h"
#include "tests/ops/interpret_example.h"
#include "tests/support/operator_example.h"

#include <gtest/gtest.h>

#include <ostream>

namespace tenon {
namespace {

struct Case {
  std::string op, text;
};
void PrintTo(const Case& example, std::ostream* out) { *out << example.op << " " << example.text; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto* definition : ops::all()) {
    for (const auto& text : definition->examples) cases.push_back({definition->name, text});
  }
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.op + "_" + std::to_string(info.index);
}

class OperatorExamples : public testing::TestWithParam<Case> {};

TEST_P(OperatorExamples, InferenceAgreesWithTheGraph) {
  auto example = test::make_example(GetParam().op, GetParam().text);
  ASSERT_TRUE(example.ok()) << example.status().to_string();
  EXPECT_EQ(ir::verify(example->graph).to_string(), "ok");
  EXPECT_EQ(ops::verify_operators(example->graph).to_string(), "ok");
  const std::string text = ir::print(example->graph);
  auto again = ir::parse(text);
  ASSERT_TRUE(again.ok()) << again.status().to_string() << "\n" << text;
  EXPECT_EQ(ir::print(*again), text);
  EXPECT_EQ(ops::verify_operators(*again).to_string(), "ok");
}

TEST_P(OperatorExamples, LoweringAgreesWithTheReference) {
  const auto* definition = ops::find(GetParam().op);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    auto example = test::make_example(GetParam().op, GetParam().text, seed);
    ASSERT_TRUE(example.ok()) << example.status().to_string();
    const Status status = example->run_reference();
    ASSERT_TRUE(status.ok()) << status.to_string();
    auto actual = test::interpret_example(*example);
    ASSERT_TRUE(actual.ok()) << actual.status().to_string();
    for (size_t i = 0; i < actual->size(); ++i) {
      const auto tolerance =
          test::tolerance_of(*definition, example->results[i].type, test::joined_elements(*example));
      EXPECT_EQ(test::difference((*actual)[i], example->results[i], tolerance), "")
          << "output " << i << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OperatorExamples, testing::ValuesIn(all_cases()), name_of);

TEST(Registry, EveryGraphOperatorIsComplete) {
  ASSERT_GT(ops::all().size(), 90u);
  for (const auto* definition : ops::all()) {
    EXPECT_FALSE(definition->summary.empty()) << definition->name;
    if (definition->kind == ops::Kind::import_only) {
      EXPECT_FALSE(definition->onnx_names.empty()) << definition->name;
      continue;
    }
    EXPECT_TRUE(definition->infer) << definition->name;
    EXPECT_TRUE(definition->reference) << definition->name;
    EXPECT_TRUE(definition->scalar || definition->lower) << definition->name;
    EXPECT_FALSE(definition->examples.empty()) << definition->name;
  }
}

TEST(Registry, UnknownOperatorsListNearMatches) {
  const auto found = ops::find_import("", "Sofmax", 13);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().to_string(),
            "unsupported: not supported yet: operator Sofmax; near matches: Softmax");
  EXPECT_EQ(ops::find_import("", "Gelu", 13).status().message(),
            "not supported yet: operator Gelu of opset 13; it is known from opset 20 on");
  EXPECT_EQ(ops::find_import("com.acme", "Relu", 1).status().message(),
            "not supported yet: operator Relu of domain com.acme");
  EXPECT_TRUE(ops::find_import("ai.onnx", "Relu", 25).ok());
}

}  // namespace
}  // namespace tenon
