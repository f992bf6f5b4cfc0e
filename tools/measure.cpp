// SPDX-License-Identifier: Apache-2.0
#include "tools/measure.h"

#include "tools/interrupt.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

namespace tenon::tools {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Status interrupted() { return Status(ErrorCode::cancelled, "the measurement was interrupted"); }

Status warm_up(BoundContext& bound, double seconds) {
  const auto start = Clock::now();
  do {
    TENON_RETURN_IF_ERROR(bound.run());
    if (was_interrupted()) return interrupted();
  } while (seconds_since(start) < seconds);
  return {};
}

Status run_until(BoundContext& bound, double seconds, std::vector<double>& latencies) {
  const auto start = Clock::now();
  do {
    const auto run_start = Clock::now();
    TENON_RETURN_IF_ERROR(bound.run());
    latencies.push_back(seconds_since(run_start));
    if (was_interrupted()) return interrupted();
  } while (seconds_since(start) < seconds);
  return {};
}

}  // namespace

Result<LoadResult> measure_load(const Engine& engine, const Tensors& inputs,
                                const LoadOptions& options) {
  std::vector<BoundContext> contexts;
  for (uint32_t i = 0; i < options.contexts; ++i) {
    TENON_ASSIGN(BoundContext bound, BoundContext::create(engine, inputs));
    contexts.push_back(std::move(bound));
  }
  LoadResult result;
  Status first_error;
  std::mutex mutex;
  std::barrier<> ready(static_cast<std::ptrdiff_t>(options.contexts));
  Clock::time_point start;
  const auto serve = [&](uint32_t number) {
    std::vector<double> latencies;
    Status status = warm_up(contexts[number], options.warmup_seconds);
    ready.arrive_and_wait();
    if (number == 0) start = Clock::now();
    ready.arrive_and_wait();
    if (status.ok()) status = run_until(contexts[number], options.duration_seconds, latencies);
    const std::lock_guard lock(mutex);
    result.seconds = std::max(result.seconds, seconds_since(start));
    result.latencies.insert(result.latencies.end(), latencies.begin(), latencies.end());
    if (!status.ok() && first_error.ok()) first_error = status;
  };
  std::vector<std::thread> others;
  for (uint32_t i = 1; i < options.contexts; ++i) others.emplace_back(serve, i);
  serve(0);
  for (std::thread& other : others) other.join();
  TENON_RETURN_IF_ERROR(first_error);
  std::sort(result.latencies.begin(), result.latencies.end());
  return result;
}

Result<std::vector<double>> measure_steps(const Engine& engine, const Tensors& inputs,
                                          double duration_seconds) {
  TENON_ASSIGN(BoundContext bound, BoundContext::create(engine, inputs));
  TENON_RETURN_IF_ERROR(warm_up(bound, 0));
  std::vector<std::vector<double>> times(engine.steps().size());
  bound.context().set_step_callback(
      [&](int64_t step, double seconds) { times[static_cast<size_t>(step)].push_back(seconds); });
  std::vector<double> ignored;
  TENON_RETURN_IF_ERROR(run_until(bound, duration_seconds, ignored));
  std::vector<double> medians;
  for (std::vector<double>& step : times) {
    std::sort(step.begin(), step.end());
    medians.push_back(step.empty() ? 0 : percentile(step, 50));
  }
  return medians;
}

double percentile(const std::vector<double>& sorted, double percent) {
  const double position = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

}  // namespace tenon::tools
