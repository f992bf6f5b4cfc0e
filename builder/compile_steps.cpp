// SPDX-License-Identifier: Apache-2.0
#include "builder/compile_steps.h"

#include "builder/loop/text.h"
#include "builder/ops/op.h"
#include "builder/passes/group.h"
#include "builder/passes/lower_group.h"
#include "builder/tactics/candidates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace tenon {
namespace {

bool needs_step(const ir::Node& node) {
  if (node.op() == ir::Node::kReturnOp || node.is_constant()) return false;
  const ops::OpDefinition* definition = ops::find(node.op());
  return !definition || !definition->is_view;
}

Result<emit::Step> lower(const ir::Node& node, const codegen::Target& target, const Logger& logger) {
  emit::Step step;
  step.node = &node;
  step.operators = passes::operators_of(node);
  step.arguments.assign(node.inputs().begin(), node.inputs().end());
  std::erase(step.arguments, nullptr);
  for (int i = 0; i < node.output_count(); ++i) step.arguments.push_back(node.output(i));
  Result<loop::Kernel> kernel = passes::lower_group(node);
  if (!kernel.ok()) {
    return kernel.status().with_context(
        fmt::format("{} ({})", step.operators, fmt::join(node.origins, ", ")));
  }
  // Names of tensors do not matter to the code: equal kernels must be equal in text.
  for (size_t i = 0; i < kernel->buffers.size(); ++i) kernel->buffers[i].name = fmt::format("b{}", i);
  kernel->name = step.operators;
  tactics::CandidateList list = tactics::candidates(*kernel, target.unit);
  for (const std::string& rejection : list.rejections) {
    if (!logger) break;
    logger(LogLevel::debug, fmt::format("{} ({}): no {}", step.operators, fmt::join(node.origins, ", "),
                                        rejection));
  }
  step.kernel = std::move(list.candidates.front().kernel);
  step.storage = std::move(list.candidates.front().storage);
  step.schedule = std::move(list.candidates.front().schedule);
  return step;
}

/// Calls `work(i)` for every i below `count` on `threads` threads; stops at the first error.
Status for_each_in_parallel(size_t count, uint32_t threads, const std::function<Status(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  Status first_error;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) {
      Status status = work(i);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      if (first_error.ok()) first_error = std::move(status);
      next = count;
    }
  };
  std::vector<std::thread> workers;
  const size_t wanted = std::min<size_t>(threads, count);
  try {
    while (workers.size() + 1 < wanted) workers.emplace_back(run);
  } catch (const std::system_error&) {
    // The system gives no more threads: those that run share the work.
  }
  run();
  for (std::thread& worker : workers) worker.join();
  return first_error;
}

}  // namespace

Result<emit::StepList> compile_steps(const ir::Graph& graph, const codegen::Target& target,
                                     const BuildOptions& options) {
  emit::StepList list;
  std::map<std::string, size_t> known;
  std::vector<size_t> first_step;
  for (const auto& node : graph.body().nodes()) {
    if (!needs_step(*node)) continue;
    TENON_ASSIGN(emit::Step step, lower(*node, target, options.logger));
    const std::string key = loop::to_string(step.kernel) + loop::to_string(step.schedule);
    const auto [found, is_new] = known.emplace(key, first_step.size());
    if (is_new) first_step.push_back(list.steps.size());
    step.code = found->second;
    list.steps.push_back(std::move(step));
  }
  list.codes.resize(first_step.size());
  std::atomic<long> done{0};
  std::mutex progress_mutex;
  const uint32_t threads = options.threads ? options.threads : std::thread::hardware_concurrency();
  const codegen::CodeOptions code_options{options.checked_kernels, false};
  TENON_RETURN_IF_ERROR(for_each_in_parallel(first_step.size(), threads, [&](size_t i) -> Status {
    const emit::Step& step = list.steps[first_step[i]];
    Result<codegen::GeneratedKernel> code =
        codegen::generate(step.kernel, step.schedule, target, code_options);
    if (!code.ok()) {
      return code.status().with_context(
          fmt::format("{} ({})", step.operators, fmt::join(step.node->origins, ", ")));
    }
    list.codes[i] = std::move(*code);
    const std::lock_guard lock(progress_mutex);
    if (options.progress && !options.progress("generate", ++done, static_cast<long>(first_step.size()))) {
      return Status(ErrorCode::cancelled, "the build was cancelled");
    }
    return {};
  }));
  // Kernels of one kind are told apart in profiles by their number.
  for (size_t i = 0; i < list.steps.size(); ++i) {
    list.steps[i].kernel.name = fmt::format("{}_{}", i, list.steps[i].operators);
  }
  return list;
}

}  // namespace tenon
