// SPDX-License-Identifier: Apache-2.0
// What a user of the runtime can do wrong, and what the runtime then says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/runtime/demo_run.h"

namespace tenon::testing {
namespace {

using ::testing::HasSubstr;

class RuntimeErrors : public ::testing::Test {
 protected:
  using Dims = std::vector<int64_t>;

  void expect(const Status& status, ErrorCode code, const std::string& message) {
    EXPECT_EQ(status.code(), code) << status.to_string();
    EXPECT_THAT(status.message(), HasSubstr(message));
  }
  void expect_bad(const Status& status, const std::string& message) {
    expect(status, ErrorCode::bad_argument, message);
  }

  Engine engine_ = load_demo(with_threads(2));
  Context context_ = engine_.create_context().value();
  DemoRun run_{4, 3, 1};
};

TEST_F(RuntimeErrors, NamesTheBindingsThatExist) {
  expect_bad(context_.set_input("y", run_.x.data(), Dims{4, 64}),
             "there is no input \"y\"; the plan has \"x\", \"index\"");
  expect_bad(context_.set_output("x", run_.x.data(), 4),
             "there is no output \"x\"; the plan has \"sum\", \"echo\", \"picked\"");
}

TEST_F(RuntimeErrors, SaysWhichTypeRankAndDimsAreAllowed) {
  expect_bad(context_.set_input("x", DataType::i64, run_.x.data(), Dims{4, 64}),
             "input \"x\": got i64[4,64]; the plan takes f32[N,64]");
  expect_bad(context_.set_input("x", run_.x.data(), Dims{4}),
             "input \"x\": got f32[4]; the plan takes f32[N,64]");
  expect_bad(context_.set_input("x", run_.x.data(), Dims{600, 64}),
             "input \"x\": got f32[600,64]; the plan's profile allows N in 1..512 (got 600). Build "
             "with another --shape.");
  expect_bad(context_.set_input("x", run_.x.data(), Dims{4, 65}),
             "the plan's profile allows axis 1 to be 64 (got 65)");
  expect_bad(context_.set_input("x", run_.x.data(), Dims{-1, 64}), "N in 1..512 (got -1)");
}

TEST_F(RuntimeErrors, WantsAlignedData) {
  expect_bad(context_.set_input("x", nullptr, Dims{4, 64}), "input \"x\": its data is null");
  const auto* odd = reinterpret_cast<const std::byte*>(run_.x.data()) + 2;
  expect_bad(context_.set_input("x", odd, Dims{1, 64}), "its data is not aligned to 4 bytes");
  EXPECT_TRUE(context_.set_input("index", nullptr, Dims{0}).ok());
}

TEST_F(RuntimeErrors, WantsEveryBinding) {
  expect_bad(context_.run(), "input \"x\" is not set");
  expect_bad(context_.output_dims("sum").status(), "input \"x\" is not set");
  ASSERT_TRUE(context_.set_input("x", run_.x.data(), Dims{4, 64}).ok());
  ASSERT_TRUE(context_.set_input("index", run_.index.data(), Dims{3}).ok());
  expect_bad(context_.run(), "output \"sum\" needs 16 bytes for f32[4] but is not set");
  ASSERT_TRUE(context_.set_output("sum", run_.sum.data(), 15).ok());
  expect_bad(context_.run(), "output \"sum\" needs 16 bytes for f32[4]; set_output gave 15");
}

TEST_F(RuntimeErrors, RefusesOverlappingBuffers) {
  ASSERT_TRUE(run_.bind(context_).ok());
  ASSERT_TRUE(context_.set_output("echo", run_.x.data(), run_.x.size() * 4).ok());
  expect_bad(context_.run(), "output \"echo\" overlaps input \"x\"");
  ASSERT_TRUE(context_.set_output("echo", run_.echo.data(), run_.echo.size() * 4).ok());
  ASSERT_TRUE(context_.set_output("sum", run_.echo.data() + 8, 16).ok());
  expect_bad(context_.run(), "output \"echo\" overlaps output \"sum\"");
  ASSERT_TRUE(run_.run(context_).ok());
  run_.check();
}

TEST_F(RuntimeErrors, NamesTheStepOfABadIndex) {
  run_.index[1] = 10;
  expect_bad(run_.run(context_),
             "step \"step_5\" (Node_5): index 10 is out of range for an extent of 10 (argument 1, "
             "access 7)");
  run_.index[1] = 9;
  ASSERT_TRUE(run_.run(context_).ok());
  run_.check();
}

TEST_F(RuntimeErrors, ReportsABadIndexInAnyChunk) {
  PlanMaker maker = demo_plan();
  maker.program().steps[5]->grain = 1;
  const Engine engine = Engine::load_from_memory(maker.build(), with_threads(3)).value();
  Context context = engine.create_context().value();
  for (int repeat = 0; repeat < 100; ++repeat) {
    DemoRun run(1, 32, 1);
    run.index[repeat % 32] = -1;
    expect_bad(run.run(context), "index -1 is out of range");
    run.index[repeat % 32] = 0;
    ASSERT_TRUE(run.run(context).ok());
  }
}

TEST_F(RuntimeErrors, EqualSymbolsMustAgree) {
  PlanMaker maker;
  const uint32_t n = maker.symbol("N", 1, 8, 0, 0);
  const uint32_t bytes = maker.multiply(n, maker.constant(4));
  const uint32_t a = maker.input("a", DataType::f32, {n}, {"N"}, bytes);
  const uint32_t b = maker.input("b", DataType::f32, {n}, {"N"}, bytes);
  const uint32_t c = maker.output("c", DataType::f32, {n}, {"N"}, bytes);
  maker.kernel(kAdd, {a, b, c}, {}, n);
  const Engine engine = Engine::load_from_memory(maker.build()).value();
  Context context = engine.create_context().value();
  ASSERT_TRUE(context.set_input("a", run_.x.data(), Dims{4}).ok());
  ASSERT_TRUE(context.set_input("b", run_.x.data(), Dims{3}).ok());
  expect_bad(context.run(),
             "input \"b\": got f32[3]; axis 0 must be N = 4, as axis 0 of input \"a\"");
}

TEST_F(RuntimeErrors, NamesMissingInstructionSets) {
  PlanMaker maker = demo_plan();
  maker.meta.target = "cpu:znver9";
  maker.meta.features = {"sse2", "avx1024f"};
  expect(Engine::load_from_memory(maker.build()).status(), ErrorCode::incompatible,
         "plan: built for cpu:znver9 (needs sse2, avx1024f); this processor lacks avx1024f. Build "
         "with --target cpu:x86-64");
  maker.meta.features = {"sse2"};
  EngineOptions options;
  for (const char* unknown : {"avx1024f", "", "AVX2"}) {
    options.masked_features = {"avx2", unknown};
    expect(Engine::load_from_memory(maker.build(), options).status(), ErrorCode::bad_argument,
           "masked_features: no instruction set is called \"" + std::string(unknown) + "\"");
  }
  options.masked_features = {"sse"};
  expect(Engine::load_from_memory(maker.build(), options).status(), ErrorCode::incompatible,
         "this processor (with sse masked) lacks sse2");
}

TEST_F(RuntimeErrors, NamesVersions) {
  PlanMaker maker = demo_plan();
  maker.meta.kernel_abi = 77;
  maker.meta.tenon_version = "9.1.0";
  expect(Engine::load_from_memory(maker.build()).status(), ErrorCode::incompatible,
         "built by Tenon 9.1.0 with kernel interface 77; this runtime has 1");
}

TEST_F(RuntimeErrors, NamesTheFile) {
  expect(Engine::load("/nowhere/m.plan").status(), ErrorCode::io,
         "/nowhere/m.plan: cannot open: No such file or directory");
  expect(Engine::load("/").status(), ErrorCode::io, "/: is a directory");
}

TEST_F(RuntimeErrors, WhatWasMovedFromAnswers) {
  Engine engine = load_demo(with_threads(1));
  const Engine moved = std::move(engine);
  EXPECT_TRUE(engine.create_context().ok()) << "engines are copied";
  EXPECT_EQ(engine.inputs().size(), moved.inputs().size());

  Context context = std::move(context_);
  context_.set_step_callback([](int64_t, double) {});
  context_.set_tensor_callback([](const TensorEvent&) {});
  expect_bad(context_.run(), "this context was moved from");
  expect_bad(context_.set_output("sum", run_.sum.data(), 16), "this context was moved from");
  ASSERT_TRUE(run_.run(context).ok());
}

TEST(ThreadPool, TakesNoMoreThreadsThanASystemBears) {
  EXPECT_LE(make_thread_pool(4000000000)->worker_count(), 1024U);
  EXPECT_GE(make_thread_pool(0)->worker_count(), 1U);
}

class StrayExecutor : public Executor {
 public:
  uint32_t worker_count() const override { return 2; }
  void parallel_for(int64_t items, int64_t,
                    const std::function<void(int64_t, int64_t, uint32_t)>& task) override {
    if (throws) throw std::runtime_error("no threads today");
    task(0, items, 2);
  }
  bool throws = false;
};

TEST_F(RuntimeErrors, SurvivesABadExecutor) {
  EngineOptions options;
  auto executor = std::make_shared<StrayExecutor>();
  options.executor = executor;
  const Engine engine = load_demo(options);
  Context context = engine.create_context().value();
  expect_bad(run_.run(context), "worker number");
  executor->throws = true;
  expect(run_.run(context), ErrorCode::internal, "no threads today");
}

TEST_F(RuntimeErrors, AnArenaBeyondAllMemoryIsNoCrash) {
  PlanMaker maker = demo_plan();
  maker.program().arena_bytes = uint64_t{1} << 47;
  const Engine engine = Engine::load_from_memory(maker.build()).value();
  expect(engine.create_context().status(), ErrorCode::out_of_memory, "for the arena");
}

}  // namespace
}  // namespace tenon::testing
