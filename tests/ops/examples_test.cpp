// SPDX-License-Identifier: Apache-2.0
// Every operator on every example beside its definition: the reference against its lowering, which
// the interpreter runs.
#include "builder/ir/text.h"
#include "builder/ir/verify.h"
#include "builder/loop/interpret.h"
#include "builder/ops/op.h"
#include "builder/passes/lower_group.h"
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

/// Results of the lowered kernel for the operands of an example.
Result<std::vector<ops::ReferenceTensor>> interpret(const test::OperatorExample& example) {
  TENON_ASSIGN(loop::Kernel kernel, passes::lower_group(*example.node));
  std::vector<std::vector<std::byte>> bytes;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    if (!example.node->input(static_cast<int>(i))) continue;
    const TensorData data = ops::to_tensor_data(example.operands[i]);
    bytes.emplace_back(data.bytes.begin(), data.bytes.end());
  }
  const size_t first_result = bytes.size();
  for (const auto& result : example.results) {
    bytes.emplace_back(byte_size(result.type, result.count()), std::byte{0xa5});
  }
  std::vector<std::span<std::byte>> buffers(bytes.begin(), bytes.end());
  TENON_RETURN_IF_ERROR(loop::interpret(kernel, example.symbols, buffers));
  std::vector<ops::ReferenceTensor> results;
  for (size_t i = 0; i < example.results.size(); ++i) {
    const auto& result = example.results[i];
    results.push_back(ops::to_reference(
        TensorData{result.type, result.dims, buffers[first_result + i], nullptr}));
  }
  return results;
}

/// Elements that one result joins, at most: of all operands for each result.
double joined_elements(const test::OperatorExample& example) {
  const auto* definition = ops::find(example.node->op());
  if (definition->kind != ops::Kind::contraction && definition->kind != ops::Kind::reduction)
    return 1;
  int64_t most = 1;
  for (const auto& operand : example.operands) most = std::max(most, operand.count());
  return static_cast<double>(most);
}

TEST_P(OperatorExamples, LoweringAgreesWithTheReference) {
  const auto* definition = ops::find(GetParam().op);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    auto example = test::make_example(GetParam().op, GetParam().text, seed);
    ASSERT_TRUE(example.ok()) << example.status().to_string();
    const Status status = example->run_reference();
    ASSERT_TRUE(status.ok()) << status.to_string();
    auto actual = interpret(*example);
    ASSERT_TRUE(actual.ok()) << actual.status().to_string();
    for (size_t i = 0; i < actual->size(); ++i) {
      const auto tolerance =
          test::tolerance_of(*definition, example->results[i].type, joined_elements(*example));
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
            "unsupported: not supported yet: operator Sofmax; near matches: Softmax, LogSoftmax");
  EXPECT_EQ(ops::find_import("", "Gelu", 13).status().message(),
            "not supported yet: operator Gelu of opset 13; it is known from opset 20 on");
  EXPECT_EQ(ops::find_import("com.acme", "Relu", 1).status().message(),
            "not supported yet: operator Relu of domain com.acme");
  EXPECT_TRUE(ops::find_import("ai.onnx", "Relu", 25).ok());
}

}  // namespace
}  // namespace tenon
