// SPDX-License-Identifier: Apache-2.0
// Every operator, built to plans in many configurations and run, against its reference in double.
#include "tests/conformance/configuration.h"
#include "tests/conformance/example_set.h"
#include "tests/conformance/options.h"
#include "tests/conformance/random_examples.h"

#include <gtest/gtest.h>

#include <ostream>

namespace tenon {
void PrintTo(const ops::OpDefinition* definition, std::ostream* out) { *out << definition->name; }

namespace conformance {
namespace {

using Definition = ops::OpDefinition;

/// Sizes of all dynamic dims, one after another on one plan. Windows need at least their own size.
std::vector<Sizes> sizes_to_run(const ExampleSet& set) {
  if (!set.has_symbols()) return {{}};
  std::vector<Sizes> all;
  for (const int64_t n : {3, 0, 1, 17, 40}) {
    all.push_back(
        {{"N", n}, {"M", n == 17 ? 0 : 2}, {"H", 5 + n % 7}, {"W", std::min<int64_t>(3 + n, 40)}});
  }
  return all;
}

void add(ExampleSet& set, const std::string& op, const std::string& text, uint64_t seed) {
  for (const Feed feed : {Feed::as_written, Feed::all_inputs, Feed::constant_weights}) {
    const auto added = set.add(op, text, feed, seed);
    ASSERT_TRUE(added.ok()) << op << " " << text << ": " << added.status().to_string();
    EXPECT_TRUE(*added || feed != Feed::as_written) << op << " " << text;
  }
}

/// The examples beside the operator's definition, and random ones when it is elementwise.
ExampleSet examples_of(const Definition& definition, uint64_t seed) {
  ExampleSet set;
  for (const std::string& text : definition.examples) add(set, definition.name, text, seed);
  std::mt19937_64 random(seed);
  for (const std::string& text : random_examples(definition.name, 8, random)) {
    add(set, definition.name, text, seed);
  }
  const auto elementwise = test::elementwise_operators();
  if (std::find(elementwise.begin(), elementwise.end(), &definition) == elementwise.end())
    return set;
  for (const DataType type : definition.inputs[0].types) {
    // Operators that are defined on some types only with an attribute have examples for it.
    if (definition.name == "mod" && is_float(type)) continue;
    for (int shape = 0; shape < 2; ++shape) {
      const std::string text =
          test::random_operands(definition, type, {0, 1, 2, 5, 17, 40, 70}, random);
      const auto added = set.add(definition.name, text, Feed::as_written, seed);
      EXPECT_TRUE(added.ok()) << text << ": " << added.status().to_string();
    }
  }
  return set;
}

void run_in(const Configuration& configuration, const ExampleSet& set, uint64_t seed) {
  const auto where = [&] {
    return to_string(configuration) + ", seed " + std::to_string(seed) + "\n  " +
           command_that_repeats(seed);
  };
  const Result<Engine> engine = set.build(configuration);
  if (!engine.ok() && engine.status().code() == ErrorCode::incompatible &&
      !can_run(configuration.target))
    return;
  ASSERT_TRUE(engine.ok()) << engine.status().to_string() << "\n  " << where();
  for (const Sizes& sizes : sizes_to_run(set)) {
    for (const std::string& failure : set.run(*engine, seed, sizes)) {
      std::string given;
      for (const auto& [name, size] : sizes) given += name + "=" + std::to_string(size) + " ";
      ADD_FAILURE() << failure << "\n  " << given << where();
    }
  }
}

class Operators : public testing::TestWithParam<const Definition*> {};

TEST_P(Operators, AgreeWithTheReference) {
  const auto& all = ops::all();
  const auto number =
      static_cast<size_t>(std::find(all.begin(), all.end(), GetParam()) - all.begin());
  for (uint64_t seed = options().seed; seed < options().seed + options().count; ++seed) {
    const ExampleSet set = examples_of(*GetParam(), seed);
    RecordProperty("examples", static_cast<int>(set.size()));
    for (const Configuration& configuration : covering_configurations(number)) {
      run_in(configuration, set, seed);
    }
  }
}

class OperatorsExtended : public testing::TestWithParam<const Definition*> {};

TEST_P(OperatorsExtended, AgreeWithTheReferenceInEveryConfiguration) {
  for (uint64_t seed = options().seed; seed < options().seed + 3 * options().count; ++seed) {
    const ExampleSet set = examples_of(*GetParam(), seed);
    for (const Configuration& configuration : all_configurations())
      run_in(configuration, set, seed);
  }
}

std::vector<const Definition*> executed_operators() {
  std::vector<const Definition*> executed;
  for (const Definition* definition : ops::all()) {
    if (definition->kind != ops::Kind::import_only) executed.push_back(definition);
  }
  return executed;
}

std::string name_of(const testing::TestParamInfo<const Definition*>& info) {
  return info.param->name;
}

INSTANTIATE_TEST_SUITE_P(All, Operators, testing::ValuesIn(executed_operators()), name_of);
INSTANTIATE_TEST_SUITE_P(All, OperatorsExtended, testing::ValuesIn(executed_operators()), name_of);

TEST(Configurations, CoverEveryValueAndPair) {
  std::set<std::string> pairs;
  for (size_t number = 0; number < 3; ++number) {
    std::set<bool> passes, checked;
    for (const Configuration& row : covering_configurations(number)) {
      passes.insert(row.passes);
      checked.insert(row.checked_kernels);
      pairs.insert(row.target + std::to_string(static_cast<int>(row.arena)));
      pairs.insert(std::to_string(row.passes) + std::to_string(row.checked_kernels));
    }
    EXPECT_EQ(passes.size() + checked.size(), 4u) << number;
  }
  EXPECT_EQ(pairs.size(), 9u + 4u);
  EXPECT_EQ(all_configurations().size(), 36u);
}

}  // namespace
}  // namespace conformance
}  // namespace tenon
