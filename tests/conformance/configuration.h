// SPDX-License-Identifier: Apache-2.0
// The ways in which the suite builds and runs a graph.
#pragma once

#include "runtime/arena_mode.h"

#include <tenon/builder.h>
#include <tenon/runtime.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::conformance {

struct Configuration {
  bool passes = true;
  std::string target = "cpu:native";
  bool checked_kernels = false;
  runtime::ArenaMode arena = runtime::ArenaMode::normal;
};

/// "all passes, cpu:native, checked kernels, arena guard"
std::string to_string(const Configuration& configuration);

/// All 36.
std::vector<Configuration> all_configurations();

/// Three of them that have every value of every choice. Over any three neighbouring numbers they
/// have every pair of target and arena, and of passes and checked kernels.
std::vector<Configuration> covering_configurations(size_t number);

/// Builds a plan and loads it from memory, for contexts with the arena of the configuration.
Result<Engine> make_engine(Network network, const Configuration& configuration,
                           BuildOptions options);

/// Whether this processor runs the target.
bool can_run(const std::string& target);

}  // namespace tenon::conformance
