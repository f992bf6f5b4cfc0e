// SPDX-License-Identifier: Apache-2.0
// Runs kernels over their grids.
#pragma once

#include <tenon/runtime.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/base/kernel_abi.h"

namespace tenon::runtime {

/// One kernel call at a time; allocates nothing after construction. Stays at its address.
class StepRunner {
 public:
  StepRunner(Executor& executor, uint32_t workers);
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  /// Calls the kernel so that [0, grid) is covered. `args` lacks only `errors`. Returns the first
  /// worker's KernelResult that is not kKernelOk, with its details in `error`.
  int32_t run(KernelFunction kernel, KernelArgs args, int64_t grid, int64_t grain,
              KernelError* error);

  /// The result when an executor passes a worker number that it does not have.
  static constexpr int32_t kBadWorker = -1;

 private:
  void call(int64_t begin, int64_t end, uint32_t worker);

  Executor& executor_;
  KernelFunction kernel_ = nullptr;
  KernelArgs args_ = {};
  std::vector<KernelError> errors_;  // by worker
  std::vector<int32_t> results_;     // by worker; written by failures only
  std::atomic<bool> failed_{false}, bad_worker_{false};
  std::function<void(int64_t, int64_t, uint32_t)> task_;
};

}  // namespace tenon::runtime
