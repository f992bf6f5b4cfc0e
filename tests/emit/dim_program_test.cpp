// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/dim_program.h"

#include "runtime/shape_program.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tenon::emit {
namespace {

constexpr uint32_t kSeed = 1;
const std::map<std::string, uint32_t> kSymbols = {{"H", 0}, {"N", 1}, {"W", 2}};

ir::Dim random_dim(std::mt19937& random, int depth) {
  const auto number = [&] { return ir::Dim(static_cast<int64_t>(random() % 19) - 6); };
  const auto inner = [&] { return random_dim(random, depth - 1); };
  const auto positive = [&] { return ir::Dim::maximum(inner(), ir::Dim(1 + random() % 4)); };
  if (depth == 0) {
    static const char* const kNames[] = {"H", "N", "W"};
    return random() % 3 == 0 ? number() : ir::Dim::symbol(kNames[random() % 3]);
  }
  switch (random() % 9) {
    case 0:
      return inner() + inner();
    case 1:
      return inner() - inner();
    case 2:
      return inner() * inner();
    case 3:
      return ir::Dim::floor_div(inner(), positive());
    case 4:
      return ir::Dim::ceil_div(inner(), positive());
    case 5:
      return ir::Dim::mod(inner(), positive());
    case 6:
      return ir::Dim::minimum(inner(), inner());
    case 7:
      return ir::Dim::maximum(inner(), inner());
    default:
      return inner() + number();
  }
}

std::vector<int64_t> run(const DimProgram& program, const std::vector<int64_t>& symbols) {
  std::vector<int64_t> results(program.instructions().size());
  const Status status = runtime::evaluate_dims(program.instructions(), symbols, results);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return results;
}

TEST(DimProgram, GivesWhatTheDimsEvaluateTo) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    DimProgram program(kSymbols);
    std::vector<ir::Dim> dims;
    std::vector<uint32_t> numbers;
    for (int i = 0; i < 5; ++i) {
      dims.push_back(random_dim(random, static_cast<int>(random() % 4)));
      numbers.push_back(program.number(dims.back()));
    }
    const std::vector<int64_t> symbols = {static_cast<int64_t>(random() % 9),
                                          static_cast<int64_t>(random() % 9),
                                          static_cast<int64_t>(random() % 9)};
    const auto lookup = [&](const std::string& name) -> std::optional<int64_t> {
      return symbols[kSymbols.at(name)];
    };
    const std::vector<int64_t> results = run(program, symbols);
    for (size_t i = 0; i < dims.size(); ++i) {
      EXPECT_EQ(results[numbers[i]], dims[i].evaluate(lookup))
          << dims[i].to_string() << " in round " << round << ", seed " << kSeed;
    }
  }
}

TEST(DimProgram, NumbersEqualDimsOnce) {
  DimProgram program(kSymbols);
  const ir::Dim n = ir::Dim::symbol("N");
  const uint32_t first = program.number(n * ir::Dim(2) + ir::Dim(1));
  const size_t size = program.instructions().size();
  EXPECT_EQ(program.number(n + ir::Dim(1) + n), first);
  EXPECT_EQ(program.instructions().size(), size);
}

TEST(DimProgram, NumbersConstantsAndZero) {
  DimProgram program({});
  const uint32_t zero = program.number(ir::Dim(0)), seven = program.number(ir::Dim(7));
  const std::vector<int64_t> results = run(program, {});
  EXPECT_EQ(results[zero], 0);
  EXPECT_EQ(results[seven], 7);
}

TEST(DimProgram, OperandsComeFirst) {
  std::mt19937 random(kSeed);
  DimProgram program(kSymbols);
  for (int i = 0; i < 50; ++i) program.number(random_dim(random, 3));
  const auto& instructions = program.instructions();
  for (size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].op() == plan::DimOp::constant ||
        instructions[i].op() == plan::DimOp::symbol)
      continue;
    EXPECT_LT(instructions[i].a(), static_cast<int64_t>(i));
    EXPECT_LT(instructions[i].b(), static_cast<int64_t>(i));
  }
}

}  // namespace
}  // namespace tenon::emit
