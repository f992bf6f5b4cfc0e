// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/cpu/thread_pool.h"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace tenon {
namespace runtime {
namespace {

// Chunks for each worker: enough to even out workers of different speed, few enough to cost
// nothing.
constexpr int64_t kChunksPerWorker = 4;

// Spins until `done` holds; false when the time is up.
template <typename Done>
bool spin(uint32_t microseconds, const Done& done) {
  if (microseconds == 0) return done();
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      _mm_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

uint32_t available_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(uint32_t threads, uint32_t spin_microseconds)
    : spin_microseconds_(spin_microseconds), shares_(std::max(threads, 1u)) {
  threads_.reserve(threads);
  for (uint32_t worker = 1; worker < threads; ++worker) {
    try {
      threads_.emplace_back([this, worker] { worker_main(worker); });
    } catch (const std::system_error&) {
      break;  // fewer workers give the same results
    }
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  jobs_.fetch_add(1, std::memory_order_release);
  jobs_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::parallel_for(int64_t items, int64_t grain,
                              const std::function<void(int64_t, int64_t, uint32_t)>& task) {
  if (items <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  // Work that the caller does alone waits for nobody: contexts with one worker run side by side.
  if (items <= grain || threads_.empty()) {
    task(0, items, 0);
    return;
  }
  const std::lock_guard lock(turn_);
  // Every call begins at a multiple of the grain.
  const auto part = [&](int64_t parts) { return ((items - 1) / parts / grain + 1) * grain; };
  task_ = &task;
  chunk_ = part(kChunksPerWorker * worker_count());
  const int64_t helpers = std::min<int64_t>((items - 1) / chunk_, worker_count() - 1);
  share_count_ = static_cast<uint32_t>(helpers + 1);
  const int64_t share = part(share_count_);
  for (uint32_t i = 0; i < share_count_; ++i) {
    shares_[i].next.store(i * share, std::memory_order_relaxed);
    shares_[i].end = std::min((i + 1) * share, items);
  }
  state_.store(kOpen, std::memory_order_release);
  jobs_.fetch_add(1, std::memory_order_release);
  if (helpers == worker_count() - 1) {
    jobs_.notify_all();
  } else {
    for (int64_t i = 0; i < helpers; ++i) jobs_.notify_one();
  }
  take_chunks(0);
  uint32_t inside = state_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
  const auto empty = [&] { return (inside = state_.load(std::memory_order_acquire)) == 0; };
  if (inside == 0 || spin(spin_microseconds_, empty)) return;
  while (!empty()) state_.wait(inside, std::memory_order_acquire);
}

void ThreadPool::take_chunks(uint32_t worker) {
  for (uint32_t i = 0; i < share_count_; ++i) {
    Share& share = shares_[(worker + i) % share_count_];
    while (true) {
      const int64_t begin = share.next.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= share.end) break;
      (*task_)(begin, std::min(begin + chunk_, share.end), worker);
    }
  }
}

bool ThreadPool::join_job() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (state & kOpen) {
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void ThreadPool::leave_job() {
  // The caller waits only after it has closed the job, so the last one of a closed job wakes it.
  if (state_.fetch_sub(1, std::memory_order_acq_rel) == 1) state_.notify_one();
}

bool ThreadPool::wait_for_job(uint32_t* seen) {
  const auto changed = [&] { return jobs_.load(std::memory_order_acquire) != *seen; };
  if (!spin(spin_microseconds_, changed)) jobs_.wait(*seen, std::memory_order_acquire);
  *seen = jobs_.load(std::memory_order_acquire);
  return !stop_.load(std::memory_order_relaxed);
}

void ThreadPool::worker_main(uint32_t worker) {
  uint32_t seen = 0;
  while (wait_for_job(&seen)) {
    if (!join_job()) continue;
    take_chunks(worker);
    leave_job();
  }
}

}  // namespace runtime

std::shared_ptr<Executor> make_thread_pool(uint32_t threads, uint32_t spin_microseconds) {
  constexpr uint32_t kMaximumThreads = 1024;
  if (threads == 0) threads = runtime::available_processors();
  threads = std::min(threads, kMaximumThreads);
  return std::make_shared<runtime::ThreadPool>(threads, spin_microseconds);
}

}  // namespace tenon
