// SPDX-License-Identifier: Apache-2.0
// Runs a plan again and again and keeps the times.
#pragma once

#include "tools/bound_context.h"

#include <tenon/runtime.h>

#include <vector>

namespace tenon::tools {

struct LoadOptions {
  uint32_t contexts = 1;  ///< each with its own caller's thread
  double warmup_seconds = 0.2;
  double duration_seconds = 3;
};

struct LoadResult {
  std::vector<double> latencies;  ///< seconds, sorted
  double seconds = 0;             ///< from the first run's start to the last run's end
};

/// At least one run for each context.
Result<LoadResult> measure_load(const Engine& engine, const Tensors& inputs,
                                const LoadOptions& options);

/// The median time of each step in seconds, from runs apart from those above.
Result<std::vector<double>> measure_steps(const Engine& engine, const Tensors& inputs,
                                          double duration_seconds);

/// Linear between neighbours; `sorted` is not empty, `percent` in 0..100.
double percentile(const std::vector<double>& sorted, double percent);

}  // namespace tenon::tools
