// SPDX-License-Identifier: Apache-2.0
// Every elementwise operator at every element type that it takes, on random shapes that broadcast.
#include "builder/ops/op.h"
#include "tests/ops/interpret_example.h"
#include "tests/support/operator_example.h"

#include <gtest/gtest.h>

#include <random>

namespace tenon {
namespace {

class Elementwise : public testing::TestWithParam<const ops::OpDefinition*> {};

TEST_P(Elementwise, LoweringAgreesAtEveryTypeAndRandomShapes) {
  const ops::OpDefinition& definition = *GetParam();
  std::mt19937_64 random(1);
  for (const DataType type : definition.inputs[0].types) {
    // Operators that are defined on some types only with an attribute have examples for it.
    if (definition.name == "mod" && is_float(type)) continue;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      const std::string text = test::random_operands(definition, type, {0, 1, 2, 3, 4}, random);
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

INSTANTIATE_TEST_SUITE_P(All, Elementwise, testing::ValuesIn(test::elementwise_operators()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tenon
