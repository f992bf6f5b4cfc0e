// SPDX-License-Identifier: Apache-2.0
// Every elementwise operator at every element type that it takes, on random shapes that broadcast.
#include "builder/ops/op.h"
#include "tests/ops/interpret_example.h"
#include "tests/support/operator_example.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace tenon {
namespace {

/// A shape that broadcasts to `full`: some axes are 1, some leading ones left out.
std::string random_operand(DataType type, const std::vector<int64_t>& full,
                           std::mt19937_64& random) {
  std::string dims;
  const size_t first = random() % (full.size() + 1);
  for (size_t i = first; i < full.size(); ++i) {
    const int64_t dim = random() % 3 == 0 ? 1 : full[i];
    dims += (dims.empty() ? "" : ",") + std::to_string(dim);
  }
  return fmt::format("{}[{}]", to_string(type), dims);
}

class Elementwise : public testing::TestWithParam<const ops::OpDefinition*> {};

TEST_P(Elementwise, LoweringAgreesAtEveryTypeAndRandomShapes) {
  const ops::OpDefinition& definition = *GetParam();
  std::mt19937_64 random(1);
  for (const DataType type : definition.inputs[0].types) {
    // Operators that are defined on some types only with an attribute have examples for it.
    if (definition.name == "mod" && is_float(type)) continue;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      std::vector<int64_t> full(random() % 4);
      for (int64_t& dim : full) dim = static_cast<int64_t>(random() % 5);
      std::string text;
      for (size_t i = 0; i < definition.inputs.size(); ++i) {
        const ops::TypeSet& types = definition.inputs[i].types;
        const bool same = types == definition.inputs[0].types;
        text += (i ? " " : "") + random_operand(same ? type : *types.begin(), full, random);
      }
      SCOPED_TRACE(text);
      auto example = test::make_example(definition.name, text, seed);
      ASSERT_TRUE(example.ok()) << example.status().to_string();
      ASSERT_EQ(example->run_reference().to_string(), "ok");
      const auto actual = test::interpret_example(*example);
      ASSERT_TRUE(actual.ok()) << actual.status().to_string();
      const auto tolerance = test::tolerance_of(definition, example->results[0].type);
      EXPECT_EQ(test::difference(actual->front(), example->results[0], tolerance), "");
    }
  }
}

std::vector<const ops::OpDefinition*> elementwise_operators() {
  std::vector<const ops::OpDefinition*> result;
  for (const auto* definition : ops::all()) {
    bool free_to_run = definition->scalar != nullptr;
    for (const auto& attribute : definition->attributes)
      free_to_run = free_to_run && !attribute.required;
    if (free_to_run) result.push_back(definition);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, Elementwise, testing::ValuesIn(elementwise_operators()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tenon
