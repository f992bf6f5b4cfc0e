// SPDX-License-Identifier: Apache-2.0
// The runtime's own executor.
#pragma once

#include <tenon/runtime.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tenon::runtime {

/// Processors that this process may use.
uint32_t available_processors();

/// Worker 0 is the calling thread; calls from several threads take turns. A job is open while it
/// has items left; sleeping workers are not waited for, they join late or not at all.
class ThreadPool : public Executor {
 public:
  ThreadPool(uint32_t threads, uint32_t spin_microseconds);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  uint32_t worker_count() const override { return static_cast<uint32_t>(threads_.size()) + 1; }
  void parallel_for(int64_t items, int64_t grain,
                    const std::function<void(int64_t, int64_t, uint32_t)>& task) override;

 private:
  void worker_main(uint32_t worker);
  bool wait_for_job(uint32_t* seen);
  void take_chunks(uint32_t worker);
  bool join_job();
  void leave_job();

  const uint32_t spin_microseconds_;

  // Items that one worker takes first; the others come when they have finished their own. The same
  // part of every job goes to the same worker, whose cache holds what it wrote in the job before.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  std::vector<Share> shares_;

  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;

  // A cache line for what a waiting worker reads: the count of jobs, which it watches for a change,
  // and the job, written by its caller before it opens.
  alignas(64) std::atomic<uint32_t> jobs_{0};
  uint32_t share_count_ = 0;  // of shares_, in use
  const std::function<void(int64_t, int64_t, uint32_t)>* task_ = nullptr;
  int64_t chunk_ = 0;

  // And one for what workers write: kOpen while they may join, plus the number of workers inside.
  static constexpr uint32_t kOpen = 1u << 31;
  alignas(64) std::atomic<uint32_t> state_{0};

  std::mutex turn_;  // held by the caller whose job runs
};

}  // namespace tenon::runtime
