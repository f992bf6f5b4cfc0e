// SPDX-License-Identifier: Apache-2.0
// Plans of random networks, with results written over inputs and shared memory, against the
// reference.
#include "tests/support/random_network.h"

#include <tenon/builder.h>
#include <tenon/runtime.h>
#include <tenon/verify.h>

#include <gtest/gtest.h>

#include <cstdint>

namespace tenon {
namespace {

constexpr DataType kTypes[] = {DataType::f32, DataType::f32, DataType::f64, DataType::f16};

class BuiltPlan : public testing::TestWithParam<uint32_t> {};

TEST_P(BuiltPlan, ComputesWhatTheReferenceComputes) {
  const uint32_t seed = GetParam();
  const DataType type = kTypes[seed % 4];
  const Network network = testing_support::random_network(seed, type);
  for (const bool fused : {true, false}) {
    BuildOptions options;
    options.checked_kernels = seed % 2 == 1;
    if (!fused) options.disabled_passes = {"all"};
    const auto plan = build_plan(testing_support::random_network(seed, type), options);
    ASSERT_TRUE(plan.ok()) << plan.status().to_string() << "\n" << network.to_text();
    const auto engine = Engine::load_from_memory(*plan);
    ASSERT_TRUE(engine.ok()) << engine.status().to_string() << "\n" << network.to_text();
    VerifyOptions verify;
    verify.seed = seed;
    if (type == DataType::f16) verify.relative_l2_limit = 2e-2;
    const auto report = verify_plan(network, *engine, verify);
    ASSERT_TRUE(report.ok()) << report.status().to_string() << "\n" << network.to_text();
    EXPECT_EQ(report->failed, 0) << (fused ? "all passes" : "no passes") << ", first bad tensor "
                                 << (report->failures.empty() ? "" : report->failures[0].tensor)
                                 << "\n"
                                 << network.to_text();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BuiltPlan, testing::Range(0U, 16U));
INSTANTIATE_TEST_SUITE_P(ExtendedSeeds, BuiltPlan, testing::Range(1000U, 1400U));

}  // namespace
}  // namespace tenon
