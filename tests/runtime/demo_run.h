// SPDX-License-Identifier: Apache-2.0
// Runs the demo plan on made inputs.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include <tenon/runtime.h>

#include "tests/runtime/plan_maker.h"

namespace tenon::testing {

/// Inputs, outputs and what they should be, for one run of the demo plan.
struct DemoRun {
  DemoRun(int64_t n, int64_t m, uint32_t seed) : n(n), m(m), x(n * 64), index(m) {
    std::mt19937 random(seed);
    for (float& value : x) value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 7;
    for (int64_t& value : index) value = random() % 10;
    sum.assign(n, -1);
    echo.assign(n * 64, -1);
    picked.assign(m, -1);
  }

  Status bind(Context& context) {
    TENON_RETURN_IF_ERROR(
        context.set_input("x", DataType::f32, x.data(), std::vector<int64_t>{n, 64}));
    TENON_RETURN_IF_ERROR(context.set_input("index", index.data(), std::vector<int64_t>{m}));
    TENON_RETURN_IF_ERROR(context.set_output("sum", sum.data(), sum.size() * 4));
    TENON_RETURN_IF_ERROR(context.set_output("echo", echo.data(), echo.size() * 4));
    return context.set_output("picked", picked.data(), picked.size() * 4);
  }
  Status run(Context& context) {
    TENON_RETURN_IF_ERROR(bind(context));
    return context.run();
  }

  /// Exactly, as the kernels add in a fixed order.
  void check() const {
    for (int64_t row = 0; row < n; ++row) {
      float expected = 0;
      for (int64_t i = 0; i < 64; ++i) {
        const int64_t from = i / 16 * 16 + 15 - i % 16;
        const float value = x[row * 64 + from];
        expected = i == 0 ? 4 * value : expected + 4 * value;
      }
      ASSERT_EQ(sum[row], expected) << "row " << row << " of " << n;
    }
    EXPECT_EQ(echo, x);
    for (int64_t i = 0; i < m; ++i) ASSERT_EQ(picked[i], demo_table()[index[i]]);
  }

  int64_t n, m;
  std::vector<float> x;
  std::vector<int64_t> index;
  std::vector<float> sum, echo, picked;
};

inline Engine load_demo(const EngineOptions& options = {}) {
  return Engine::load_from_memory(demo_plan().build(), options).value();
}

inline EngineOptions with_threads(uint32_t threads) {
  EngineOptions options;
  options.threads = threads;
  return options;
}

}  // namespace tenon::testing
