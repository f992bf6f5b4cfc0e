// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_runner.h"

#include <immintrin.h>

#include <algorithm>

namespace tenon::runtime {
namespace {

// Round to nearest, no exceptions, subnormals kept: the same bits whatever the thread was set to.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() : saved_(_mm_getcsr()) {
    if (saved_ != kDefault) _mm_setcsr(kDefault);
  }
  ~DefaultFloatingPoint() { _mm_setcsr(saved_); }

 private:
  static constexpr unsigned kDefault = 0x1f80;
  const unsigned saved_;
};

}  // namespace

StepRunner::StepRunner(Executor& executor, uint32_t workers)
    : executor_(executor),
      errors_(workers),
      results_(workers, kKernelOk),
      task_([this](int64_t begin, int64_t end, uint32_t worker) { call(begin, end, worker); }) {}

void StepRunner::call(int64_t begin, int64_t end, uint32_t worker) {
  if (worker >= results_.size()) {
    bad_worker_.store(true, std::memory_order_relaxed);
    return;
  }
  if (failed_.load(std::memory_order_relaxed) && results_[worker] != kKernelOk) return;
  const DefaultFloatingPoint floating_point;
  if (const int32_t result = kernel_(&args_, begin, end, worker); result != kKernelOk) {
    results_[worker] = result;
    failed_.store(true, std::memory_order_relaxed);
  }
}

int32_t StepRunner::run(KernelFunction kernel, KernelArgs args, int64_t grid, int64_t grain,
                        KernelError* error) {
  if (grid <= 0) return kKernelOk;
  // The last call's failures.
  if (failed_.exchange(false, std::memory_order_relaxed)) {
    std::fill(results_.begin(), results_.end(), kKernelOk);
  }
  kernel_ = kernel;
  args_ = args;
  args_.errors = errors_.data();
  // Small work is not worth waking anyone.
  if (grid <= grain || results_.size() == 1) {
    call(0, grid, 0);
  } else {
    executor_.parallel_for(grid, grain, task_);
  }
  if (bad_worker_.exchange(false, std::memory_order_relaxed)) return kBadWorker;
  if (!failed_.load(std::memory_order_relaxed)) return kKernelOk;
  const auto first = std::find_if(results_.begin(), results_.end(),
                                  [](int32_t result) { return result != kKernelOk; });
  *error = errors_[static_cast<size_t>(first - results_.begin())];
  return *first;
}

}  // namespace tenon::runtime
