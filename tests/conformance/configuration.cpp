// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/configuration.h"

#include "builder/codegen/cpu/target.h"
#include "runtime/base/cpu_features.h"

#include <array>

namespace tenon::conformance {
namespace {

using runtime::ArenaMode;

constexpr std::array<const char*, 3> kTargets = {"cpu:native", "cpu:x86-64-v3", "cpu:x86-64-v4"};
constexpr std::array<ArenaMode, 3> kArenas = {ArenaMode::normal, ArenaMode::guard,
                                              ArenaMode::poison};
constexpr std::array<const char*, 3> kArenaNames = {"normal", "guard", "poison"};

}  // namespace

std::string to_string(const Configuration& configuration) {
  return std::string(configuration.passes ? "all passes" : "no passes") + ", " +
         configuration.target + (configuration.checked_kernels ? ", checked kernels" : "") +
         ", arena " + kArenaNames[static_cast<size_t>(configuration.arena)];
}

std::vector<Configuration> all_configurations() {
  std::vector<Configuration> all;
  for (const bool passes : {false, true}) {
    for (const char* target : kTargets) {
      for (const bool checked : {false, true}) {
        for (const ArenaMode arena : kArenas) all.push_back({passes, target, checked, arena});
      }
    }
  }
  return all;
}

std::vector<Configuration> covering_configurations(size_t number) {
  std::vector<Configuration> rows;
  for (size_t i = 0; i < kTargets.size(); ++i) {
    const bool passes = (i + number) % 3 != 0;
    const bool checked = (i + number / 3) % 2 == 0;
    rows.push_back({passes, kTargets[i], checked, kArenas[(i + 2 * number) % 3]});
  }
  return rows;
}

Result<Engine> make_engine(Network network, const Configuration& configuration,
                           BuildOptions options) {
  options.target = configuration.target;
  options.checked_kernels = configuration.checked_kernels;
  if (!configuration.passes) options.disabled_passes = {"all"};
  TENON_ASSIGN(const std::vector<std::byte> plan, build_plan(std::move(network), options));
  runtime::set_arena_mode_for_tests(configuration.arena);
  EngineOptions engine_options;
  engine_options.threads = 2;
  engine_options.verify_weights = true;
  return Engine::load_from_memory(plan, engine_options);
}

bool can_run(const std::string& target) {
  const auto parsed = codegen::parse_target(target);
  return parsed.ok() && missing_features(parsed->features, cpu_features()).empty();
}

}  // namespace tenon::conformance
