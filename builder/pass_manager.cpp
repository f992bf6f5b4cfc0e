// SPDX-License-Identifier: Apache-2.0
#include "builder/pass_manager.h"

#include "builder/ir/text.h"
#include "builder/ir/verify.h"
#include "builder/ops/op.h"
#include "builder/ops/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>

namespace tenon {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string suggest(const std::string& name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = ops::near_matches(name, known);
  return near.empty() ? fmt::format("known: {}", fmt::join(known, ", "))
                      : fmt::format("did you mean {}?", fmt::join(near, " or "));
}

Status check_names(const Pipeline& pipeline, const std::vector<std::string>& names,
                   const char* option) {
  std::vector<std::string> known;
  for (const Pass& pass : pipeline) known.push_back(pass.name);
  for (const std::string& name : names) {
    if (name == "all" || contains(known, name)) continue;
    return Status(ErrorCode::bad_argument, fmt::format("{}: no pass is named \"{}\"; {}", option,
                                                       name, suggest(name, known)));
  }
  return {};
}

Status check_options(const Pipeline& pipeline, const BuildOptions& options) {
  TENON_RETURN_IF_ERROR(check_names(pipeline, options.disabled_passes, "--disable-pass"));
  TENON_RETURN_IF_ERROR(check_names(pipeline, options.print_after, "--print-after"));
  for (const Pass& pass : pipeline) {
    if (!pass.required || !contains(options.disabled_passes, pass.name)) continue;
    return Status(
        ErrorCode::bad_argument,
        fmt::format("--disable-pass: {} is required and cannot be switched off", pass.name));
  }
  return {};
}

/// Writes the graph that a pass could not handle and gives the sentence that tells how to repeat
/// it.
std::string save_reproducer(const std::string& text, const Pass& pass,
                            const std::string& directory) {
  if (directory.empty()) return "";
  const std::string path = fmt::format("{}/tenon-{}.ir", directory, pass.name);
  std::ofstream file(path);
  file << text;
  if (!file.flush()) return "";
  return fmt::format("; repeat it with: tenon opt {} --pass {}", path, pass.name);
}

}  // namespace

Result<bool> run_pass(const Pass& pass, ir::Graph& graph, const passes::PassContext& context) {
  Result<bool> changed = pass.function(graph, context);
  if (!changed.ok()) return changed.status().with_context("pass " + pass.name);
  graph.erase_dead_nodes();
  for (Status status : {ir::verify(graph), ops::verify_operators(graph)}) {
    if (!status.ok()) {
      return Status(ErrorCode::internal,
                    fmt::format("pass {} left a wrong graph: {}", pass.name, status.message()));
    }
  }
  return changed;
}

Status run_passes(const Pipeline& pipeline, ir::Graph& graph, const BuildOptions& options,
                  BuildReport* report) {
  TENON_RETURN_IF_ERROR(check_options(pipeline, options));
  TENON_RETURN_IF_ERROR(ir::verify(graph));
  TENON_RETURN_IF_ERROR(ops::verify_operators(graph));

  passes::RewriteBudget budget(options.stop_after_rewrites);
  const passes::PassContext context{budget, options.strict_numerics};
  const bool all_disabled = contains(options.disabled_passes, "all");
  long done = 0;
  for (const Pass& pass : pipeline) {
    if (options.progress &&
        !options.progress(pass.phase, done, static_cast<long>(pipeline.size()))) {
      return Status(ErrorCode::cancelled, "the build was cancelled");
    }
    ++done;
    const bool disabled = all_disabled || contains(options.disabled_passes, pass.name);
    if (disabled && !pass.required) continue;

    const std::string before = options.reproducer_directory.empty() ? "" : ir::print(graph);
    const int64_t used_before = budget.used();
    const auto start = std::chrono::steady_clock::now();
    const Result<bool> changed = run_pass(pass, graph, context);
    if (!changed.ok()) {
      return Status(
          changed.status().code(),
          changed.status().message() + save_reproducer(before, pass, options.reproducer_directory));
    }
    if (report) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      report->passes.push_back(
          {pass.phase, pass.name, budget.used() - used_before, elapsed.count()});
    }
    if (options.logger &&
        (contains(options.print_after, pass.name) || contains(options.print_after, "all"))) {
      options.logger(LogLevel::info, fmt::format("// after {}\n{}", pass.name, ir::print(graph)));
    }
  }
  return {};
}

}  // namespace tenon
