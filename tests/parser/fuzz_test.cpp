// SPDX-License-Identifier: Apache-2.0
// Damaged models end in an error or in a network, never in a crash, a hang or a huge allocation.
#include "tests/parser/model_maker.h"

#include <tenon/parser.h>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tenon::parser {
namespace {

constexpr uint32_t kSeed = 1;
constexpr int kMutations = 4000;

std::vector<std::byte> random_bytes(std::mt19937& random, size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// Mostly edits in place: what moves bytes breaks a length, and the model is refused early.
void mutate(std::vector<std::byte>& bytes, std::mt19937& random) {
  const auto position = [&] { return static_cast<std::ptrdiff_t>(random() % bytes.size()); };
  for (uint32_t edits = 1 + random() % 3; edits > 0 && !bytes.empty(); --edits) {
    const auto at = bytes.begin() + position();
    switch (random() % 8) {
      case 0:
        bytes.erase(at);
        break;
      case 1:
        bytes.insert(at, static_cast<std::byte>(random()));
        break;
      case 2:
        *at = *(bytes.begin() + position());
        break;
      case 3:
      case 4:
        *at = static_cast<std::byte>(random());
        break;
      default:
        *at ^= static_cast<std::byte>(1u << (random() % 8));
        break;
    }
  }
}

void expect_an_answer(const std::vector<std::byte>& bytes, const std::string& what, int& accepted) {
  std::vector<ModelProblem> problems;
  ParserOptions options;
  options.problems = &problems;
  const Result<Network> network = parse_onnx(bytes, options);
  accepted += network.ok();
  ASSERT_EQ(network.ok(), problems.empty()) << what;
  if (network.ok()) return;
  EXPECT_FALSE(network.status().message().empty()) << what;
  EXPECT_NE(network.status().code(), ErrorCode::internal)
      << what << ": " << network.status().message();
}

TEST(ParserFuzz, MutatedModels) {
  const std::vector<std::byte> model = typical_model().bytes();
  std::mt19937 random(kSeed);
  int accepted = 0;
  for (int i = 0; i < kMutations; ++i) {
    std::vector<std::byte> bytes = model;
    mutate(bytes, random);
    expect_an_answer(bytes, "mutation " + std::to_string(i) + " of seed " + std::to_string(kSeed),
                     accepted);
  }
  EXPECT_GT(accepted, kMutations / 50) << "some mutations touch only names or weights";
  EXPECT_LT(accepted, kMutations) << "most mutations break something";
}

TEST(ParserFuzz, TruncatedModels) {
  const std::vector<std::byte> model = typical_model().bytes();
  int accepted = 0;
  for (size_t size = 0; size < model.size(); ++size) {
    const std::vector<std::byte> bytes(model.begin(),
                                       model.begin() + static_cast<std::ptrdiff_t>(size));
    expect_an_answer(bytes, "the first " + std::to_string(size) + " bytes", accepted);
  }
  EXPECT_LT(accepted, 4) << "only the very end can be cut off";
}

TEST(ParserFuzz, RandomBytes) {
  std::mt19937 random(kSeed);
  int accepted = 0;
  for (int i = 0; i < 2000; ++i) {
    expect_an_answer(random_bytes(random, 1 + random() % 300), "random bytes " + std::to_string(i),
                     accepted);
  }
  EXPECT_EQ(accepted, 0);
}

}  // namespace
}  // namespace tenon::parser
