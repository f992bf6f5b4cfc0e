// SPDX-License-Identifier: Apache-2.0
// Many threads, one engine. The thread sanitizer runs this.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/runtime/demo_run.h"

namespace tenon::testing {
namespace {

void run_in_threads(const Engine& engine, int threads, int runs) {
  std::vector<std::thread> users;
  std::atomic<int> failures{0};
  for (int t = 0; t < threads; ++t) {
    users.emplace_back([&, t] {
      Context context = engine.create_context().value();
      for (int i = 0; i < runs; ++i) {
        DemoRun run(1 + (t * 37 + i * 101) % 512, (t + i) % 33, t * 1000 + i);
        const Status status = run.run(context);
        if (!status.ok()) ++failures;
        run.check();
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(failures, 0);
}

TEST(Threads, ContextsShareAnEnginesPool) {
  for (const uint32_t workers : {1, 2, 5}) {
    run_in_threads(load_demo(with_threads(workers)), 4, 30);
  }
}

TEST(Threads, EnginesShareAPool) {
  EngineOptions options;
  options.executor = make_thread_pool(3, 0);
  const Engine first = load_demo(options), second = load_demo(options);
  std::thread other([&] { run_in_threads(first, 2, 30); });
  run_in_threads(second, 2, 30);
  other.join();
}

TEST(Threads, CopiesOfAnEngineAreUsedAtOnce) {
  const Engine engine = load_demo(with_threads(2));
  std::vector<std::thread> users;
  for (int t = 0; t < 4; ++t) {
    users.emplace_back([copy = engine, t] {
      EXPECT_EQ(copy.inputs().size(), 2u);
      Context context = copy.create_context().value();
      DemoRun run(100 + t, 5, t);
      ASSERT_TRUE(run.run(context).ok());
      run.check();
    });
  }
  for (std::thread& user : users) user.join();
}

// Two threads of its own for each call, in turns: as a caller with another threading library.
class TwoThreads : public Executor {
 public:
  uint32_t worker_count() const override { return 2; }
  void parallel_for(int64_t items, int64_t grain,
                    const std::function<void(int64_t, int64_t, uint32_t)>& task) override {
    const std::lock_guard lock(turn_);
    const int64_t middle = std::max(grain, items / 3);
    std::thread other([&] { task(middle, items, 1); });
    task(0, middle, 0);
    other.join();
    ++calls;
  }
  std::atomic<int> calls{0};

 private:
  std::mutex turn_;
};

TEST(Threads, AnExecutorOfTheCallerIsUsed) {
  EngineOptions options;
  const auto executor = std::make_shared<TwoThreads>();
  options.executor = executor;
  const Engine engine = load_demo(options);
  EXPECT_EQ(engine.worker_count(), 2u);
  run_in_threads(engine, 3, 5);
  EXPECT_GT(executor->calls, 0);
}

TEST(Threads, AContextUsedTwiceAtOnceIsAnError) {
  const Engine engine = load_demo(with_threads(2));
  Context context = engine.create_context().value();
  DemoRun run(512, 5, 1);
  ASSERT_TRUE(run.bind(context).ok());
  std::atomic<int> ok{0}, refused{0}, other{0};
  std::vector<std::thread> users;
  for (int t = 0; t < 4; ++t) {
    users.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const Status status = context.run();
        if (status.ok()) {
          ++ok;
        } else if (status.message().find("in use by another call") != std::string::npos) {
          ++refused;
        } else {
          ++other;
        }
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_GT(ok, 0);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(ok + refused, 200);
  run.check();
}

TEST(Threads, PoolCoversEveryItemOnce) {
  for (const uint32_t threads : {1, 2, 3, 8}) {
    for (const uint32_t spin : {0, 50}) {
      const std::shared_ptr<Executor> pool = make_thread_pool(threads, spin);
      ASSERT_EQ(pool->worker_count(), threads);
      for (const int64_t items : {0, 1, 2, 7, 64, 1000}) {
        for (const int64_t grain : {1, 3, 64}) {
          std::vector<std::atomic<int>> hits(static_cast<size_t>(items));
          std::vector<std::atomic<bool>> inside(threads);
          std::atomic<int> errors{0};
          pool->parallel_for(items, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
            if (worker >= threads || inside[worker].exchange(true)) ++errors;
            if (begin % grain != 0) ++errors;
            for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
            inside[worker] = false;
          });
          EXPECT_EQ(errors, 0);
          for (const auto& hit : hits) ASSERT_EQ(hit, 1) << items << " items, grain " << grain;
        }
      }
    }
  }
}

TEST(Threads, PoolSeesWhatTheCallerWrote) {
  const std::shared_ptr<Executor> pool = make_thread_pool(4, 0);
  std::vector<int64_t> values(256);
  for (int64_t round = 1; round <= 500; ++round) {
    pool->parallel_for(256, 8, [&](int64_t begin, int64_t end, uint32_t) {
      for (int64_t i = begin; i < end; ++i) values[static_cast<size_t>(i)] += i;
    });
    ASSERT_EQ(values[255], 255 * round);
    ASSERT_EQ(values[100], 100 * round);
  }
}

}  // namespace
}  // namespace tenon::testing
