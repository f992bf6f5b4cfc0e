// SPDX-License-Identifier: Apache-2.0
// Runs passes in order and does their chores: verification, dead code, timing, dumps, bisection.
#pragma once

#include "builder/passes/pass.h"

#include <tenon/builder.h>

#include <string>
#include <vector>

namespace tenon {

struct Pass {
  std::string phase;
  std::string name;
  passes::PassFunction function = nullptr;
  /// A required pass cannot be switched off: later ones depend on what it ensures.
  bool required = false;
};

using Pipeline = std::vector<Pass>;

/// Runs `pipeline` over `graph`. Verifies before the first pass and after each; removes dead nodes after
/// each; honours disabled_passes, stop_after_rewrites and print_after of `options`; reports progress;
/// when a pass fails or breaks the graph, saves the graph it got to reproducer_directory and says how to
/// repeat the failure. An unknown pass name in the options is an error that lists near names.
Status run_passes(const Pipeline& pipeline, ir::Graph& graph, const BuildOptions& options,
                  BuildReport* report);

/// Runs one pass by name with the same chores: for `tenon opt`.
Result<bool> run_pass(const Pass& pass, ir::Graph& graph, const passes::PassContext& context);

}  // namespace tenon
