// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/cpu_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CpuFeatures, AgreeWithTheCompiler) {
  const std::vector<std::string> features = cpu_features();
  const auto has = [&](const char* name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  };
  EXPECT_EQ(has("sse2"), __builtin_cpu_supports("sse2") != 0);
  EXPECT_EQ(has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(has("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(has("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(has("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(has("avx512bf16"), __builtin_cpu_supports("avx512bf16") != 0);
  EXPECT_TRUE(std::is_sorted(features.begin(), features.end()));
  for (const std::string& name : features) EXPECT_TRUE(is_cpu_feature(name));
}

TEST(CpuFeatures, MaskingMasksWhatBuildsOnIt) {
  EXPECT_THAT(cpu_features(std::vector<std::string>{"avx512f"}),
              Not(Contains(StartsWith("avx512"))));
  const auto without_avx = cpu_features(std::vector<std::string>{"avx"});
  EXPECT_THAT(without_avx, Not(Contains(StartsWith("avx"))));
  EXPECT_THAT(without_avx, Not(Contains("fma")));
  EXPECT_THAT(without_avx, Contains("sse2"));
}

TEST(CpuFeatures, NamesThePortableTarget) {
  EXPECT_EQ(portable_target(std::vector<std::string>{"sse2"}), "cpu:x86-64");
  std::vector<std::string> features = {"sse4.2", "popcnt", "cx16", "ssse3", "sahf"};
  EXPECT_EQ(portable_target(features), "cpu:x86-64-v2");
  for (const char* name : {"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"}) {
    features.emplace_back(name);
  }
  EXPECT_EQ(portable_target(features), "cpu:x86-64-v3");
}

}  // namespace
}  // namespace tenon
