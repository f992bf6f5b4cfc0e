// SPDX-License-Identifier: Apache-2.0
// The arena's test modes find kernels that touch what is not theirs.
#include "runtime/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <csignal>

#include "runtime/arena_mode.h"
#include "tests/runtime/demo_run.h"

namespace tenon::testing {
namespace {

using runtime::ArenaMode;

class ArenaModes : public ::testing::Test {
 protected:
  void TearDown() override { runtime::set_arena_mode_for_tests(ArenaMode::normal); }
};

TEST_F(ArenaModes, ASoundPlanRunsInEach) {
  const Engine engine = load_demo(with_threads(2));
  for (const ArenaMode mode : {ArenaMode::guard, ArenaMode::poison, ArenaMode::normal}) {
    runtime::set_arena_mode_for_tests(mode);
    Context context = engine.create_context().value();
    for (const int64_t n : {512, 1, 40}) {
      DemoRun run(n, 5, 1);
      const Status status = run.run(context);
      ASSERT_TRUE(status.ok()) << status.to_string();
      run.check();
    }
  }
}

// y = x for f32[N], by way of an arena buffer that the kernel writes `shift` elements further on.
Engine shifted(int64_t shift) {
  PlanMaker maker;
  const uint32_t n = maker.symbol("N", 1, 100, 0, 0);
  const uint32_t bytes = maker.multiply(n, maker.constant(4));
  const uint32_t x = maker.input("x", DataType::f32, {n}, {"N"}, bytes);
  const uint32_t y = maker.output("y", DataType::f32, {n}, {"N"}, bytes);
  const uint32_t middle = maker.arena(bytes);
  maker.kernel(kShiftedCopy, {x, middle}, {maker.constant(shift)}, n);
  maker.copy(middle, y);
  maker.place();
  return Engine::load_from_memory(maker.build(), with_threads(1)).value();
}

Status run_shifted(const Engine& engine, int64_t n, std::vector<float>* out) {
  Context context = engine.create_context().value();
  const std::vector<float> in(static_cast<size_t>(n), 5);
  out->assign(static_cast<size_t>(n), 0);
  context.set_input("x", in.data(), std::vector<int64_t>{n}).value();
  context.set_output("y", out->data(), out->size() * 4).value();
  return context.run();
}

TEST_F(ArenaModes, GuardFindsWritesIntoTheSlack) {
  std::vector<float> out;
  ASSERT_TRUE(run_shifted(shifted(1), 20, &out).ok());
  runtime::set_arena_mode_for_tests(ArenaMode::guard);
  const Status past = run_shifted(shifted(1), 20, &out);
  EXPECT_EQ(past.code(), ErrorCode::internal);
  EXPECT_THAT(past.message(),
              ::testing::HasSubstr("step \"step_0\" (Node_0): it wrote past the end of buffer 2, "
                                   "which has 80 bytes"));
  EXPECT_THAT(run_shifted(shifted(-1), 20, &out).message(),
              ::testing::HasSubstr("it wrote before buffer 2"));
  EXPECT_TRUE(run_shifted(shifted(0), 20, &out).ok());
}

TEST_F(ArenaModes, GuardPageStopsWritesPastTheEnd) {
  EXPECT_EXIT(
      {
        runtime::set_arena_mode_for_tests(ArenaMode::guard);
        std::signal(SIGSEGV, [](int) { _exit(42); });
        std::vector<float> out;
        (void)run_shifted(shifted(1), 32, &out);
        _exit(0);
      },
      ::testing::ExitedWithCode(42), "");
}

TEST_F(ArenaModes, PoisonShowsReadsOfWhatNobodyWrote) {
  runtime::set_arena_mode_for_tests(ArenaMode::poison);
  std::vector<float> out;
  ASSERT_TRUE(run_shifted(shifted(1), 20, &out).ok());
  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_EQ(out[1], 5);
}

TEST_F(ArenaModes, PoisonFillsBuffersAsTheyDie) {
  PlanMaker maker = demo_plan();
  runtime::set_arena_mode_for_tests(ArenaMode::poison);
  runtime::Arena placed = runtime::Arena::create(maker.program(), {}).value();
  std::vector<int64_t> bytes(9, 256);
  std::vector<std::byte*> addresses(9);
  ASSERT_TRUE(placed.place(bytes, addresses).ok());
  placed.begin_run();
  std::memset(addresses[6], 0, 256);
  ASSERT_TRUE(placed.finish_step(0).ok());
  EXPECT_EQ(addresses[6][0], std::byte{0});
  ASSERT_TRUE(placed.finish_step(1).ok());
  EXPECT_EQ(addresses[6][0], std::byte{0xff});
}

}  // namespace
}  // namespace tenon::testing
