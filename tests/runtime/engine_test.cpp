// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/demo_run.h"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

TEST(Engine, DescribesThePlan) {
  const Engine engine = load_demo(with_threads(3));
  ASSERT_EQ(engine.inputs().size(), 2u);
  EXPECT_EQ(engine.inputs()[0].name, "x");
  EXPECT_EQ(engine.inputs()[0].type, DataType::f32);
  ASSERT_EQ(engine.inputs()[0].dims.size(), 2u);
  EXPECT_EQ(engine.inputs()[0].dims[0].expression, "N");
  EXPECT_EQ(engine.inputs()[0].dims[0].minimum, 1);
  EXPECT_EQ(engine.inputs()[0].dims[0].maximum, 512);
  EXPECT_EQ(engine.inputs()[0].dims[1].minimum, 64);
  ASSERT_EQ(engine.outputs().size(), 3u);
  ASSERT_EQ(engine.steps().size(), 6u);
  EXPECT_EQ(engine.steps()[0].name, "step_0");
  EXPECT_EQ(engine.arena_bytes(), 2 * 512 * 64 * 4);
  EXPECT_EQ(engine.weight_bytes(), 40);
  EXPECT_GT(engine.code_bytes(), 400);
  EXPECT_EQ(engine.target(), "cpu:x86-64 (+sse2)");
  EXPECT_EQ(engine.worker_count(), 3u);
}

TEST(Engine, RunsEveryShapeOfTheProfile) {
  const Engine engine = load_demo(with_threads(2));
  Context context = engine.create_context().value();
  using Shape = std::pair<int64_t, int64_t>;
  for (const auto& [n, m] : {Shape{1, 0}, {512, 32}, {3, 5}, {3, 0}, {77, 31}, {512, 1}}) {
    DemoRun run(n, m, 1);
    ASSERT_TRUE(run.bind(context).ok());
    EXPECT_EQ(context.output_dims("sum").value(), std::vector<int64_t>{n});
    EXPECT_EQ(context.output_dims("echo").value(), (std::vector<int64_t>{n, 64}));
    const Status status = context.run();
    ASSERT_TRUE(status.ok()) << status.to_string();
    run.check();
  }
}

TEST(Engine, GivesTheSameBitsForEveryThreadCount) {
  std::vector<float> expected;
  for (const uint32_t threads : {1, 2, 5}) {
    const Engine engine = load_demo(with_threads(threads));
    Context context = engine.create_context().value();
    DemoRun run(512, 32, 7);
    ASSERT_TRUE(run.run(context).ok());
    run.check();
    if (expected.empty()) expected = run.sum;
    EXPECT_EQ(std::memcmp(expected.data(), run.sum.data(), run.sum.size() * 4), 0);
  }
}

TEST(Engine, UsesTheArenaOfTheCaller) {
  const Engine engine = load_demo(with_threads(1));
  std::vector<std::byte> memory(static_cast<size_t>(engine.arena_bytes()) + 128);
  auto* aligned =
      reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  const std::span<std::byte> arena(aligned, static_cast<size_t>(engine.arena_bytes()));
  Context first = engine.create_context(arena).value(),
          second = engine.create_context(arena).value();
  for (Context* context : {&first, &second, &first}) {
    DemoRun run(100, 4, 3);
    ASSERT_TRUE(run.run(*context).ok());
    run.check();
  }
  EXPECT_THAT(engine.create_context(arena.subspan(1)).status().message(),
              HasSubstr("64-byte aligned and 262144 bytes long; it has 262143"));
}

TEST(Engine, OutlivesItsHandles) {
  std::optional<Engine> engine = load_demo(with_threads(2));
  Context context = engine->create_context().value();
  Context moved = std::move(context);
  engine.reset();
  DemoRun run(9, 9, 4);
  ASSERT_TRUE(run.run(moved).ok());
  run.check();
  EXPECT_EQ(context.run().code(), ErrorCode::bad_argument);  // NOLINT(bugprone-use-after-move)
}

TEST(Engine, ReportsStepsAndTensors) {
  const Engine engine = load_demo(with_threads(2));
  Context context = engine.create_context().value();
  std::vector<int64_t> steps;
  context.set_step_callback([&](int64_t step, double seconds) {
    steps.push_back(step);
    EXPECT_GE(seconds, 0);
  });
  std::vector<std::string> names;
  DemoRun run(4, 2, 5);
  Status inside;
  context.set_tensor_callback([&](const TensorEvent& event) {
    names.emplace_back(event.name);
    if (event.name == "twice") {
      EXPECT_EQ(std::vector<int64_t>(event.dims.begin(), event.dims.end()),
                (std::vector<int64_t>{4, 64}));
      EXPECT_EQ(std::vector<int64_t>(event.strides.begin(), event.strides.end()),
                (std::vector<int64_t>{64, 1}));
      EXPECT_EQ(static_cast<const float*>(event.data)[65], 2 * run.x[65]);
      inside = context.run();
    }
  });
  ASSERT_TRUE(run.run(context).ok());
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(names,
            (std::vector<std::string>{"twice", "reversed", "four_times", "sum", "echo", "picked"}));
  EXPECT_EQ(inside.code(), ErrorCode::bad_argument);
  EXPECT_THAT(inside.message(), HasSubstr("in use by another call"));
}

TEST(Engine, GivesStridesAndUnpacksBlocks) {
  PlanMaker maker;
  const uint32_t rows = maker.constant(2), columns = maker.constant(3), bytes = maker.constant(32);
  const uint32_t padded = maker.constant(8);
  const uint32_t x = maker.input("x", DataType::f32, {padded}, {"8"}, bytes);
  const uint32_t y = maker.output("y", DataType::f32, {padded}, {"8"}, bytes);
  maker.copy(x, y);
  maker.tensor(1, "transposed", DataType::f32, {rows, columns}).permutation = {1, 0};
  plan::DebugTensorT& blocked = maker.tensor(1, "blocked", DataType::f32, {rows, columns});
  blocked.block_axes = {1};
  blocked.block_sizes = {2};
  maker.place();
  const Engine engine = Engine::load_from_memory(maker.build()).value();
  Context context = engine.create_context().value();
  const std::vector<float> data = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<float> out(8);
  ASSERT_TRUE(context.set_input("x", data.data(), std::vector<int64_t>{8}).ok());
  ASSERT_TRUE(context.set_output("y", out.data(), 32).ok());
  int events = 0;
  context.set_tensor_callback([&](const TensorEvent& event) {
    ++events;
    const std::vector<int64_t> strides(event.strides.begin(), event.strides.end());
    const auto* values = static_cast<const float*>(event.data);
    if (event.name == "transposed") {
      EXPECT_EQ(strides, (std::vector<int64_t>{1, 2}));
      EXPECT_EQ(values[strides[1]], 2);
    } else {
      // Stored as [2 rows, 2 blocks, 2 lanes]; the fourth lane of a row is padding.
      EXPECT_EQ(strides, (std::vector<int64_t>{3, 1}));
      EXPECT_EQ(std::vector<float>(values, values + 6), (std::vector<float>{0, 1, 2, 4, 5, 6}));
    }
  });
  ASSERT_TRUE(context.run().ok());
  EXPECT_EQ(events, 2);
  EXPECT_EQ(out, data);
}

TEST(Engine, RunsWithoutDebugInformation) {
  PlanMaker maker = demo_plan();
  plan::PlanParts parts = maker.parts();
  parts.debug = nullptr;
  const Engine engine = Engine::load_from_memory(plan::write_plan(parts).value()).value();
  EXPECT_EQ(engine.steps()[3].name, "step 3");
  Context context = engine.create_context().value();
  DemoRun run(20, 20, 6);
  ASSERT_TRUE(run.run(context).ok());
  run.check();
}

TEST(Engine, RunsAPlanWithoutStepsOrBindings) {
  PlanMaker maker;
  maker.place();
  const Engine engine = Engine::load_from_memory(maker.build()).value();
  Context context = engine.create_context().value();
  EXPECT_TRUE(context.run().ok());
}

}  // namespace
}  // namespace tenon::testing
