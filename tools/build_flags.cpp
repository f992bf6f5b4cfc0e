// SPDX-License-Identifier: Apache-2.0
#include "tools/build_flags.h"

#include "tools/quantity.h"
#include "tools/shape_argument.h"

#include <fmt/format.h>

namespace tenon::tools {
namespace {

/// Planned and absent, so that a user learns that the name is right.
struct PlannedOption {
  const char* name;
  bool takes_value;
};
constexpr PlannedOption kPlannedOptions[] = {
    {"--fp16", false},          {"--bf16", false},
    {"--int8", false},          {"--refit", false},
    {"--calib", true},          {"--timing-cache", true},
    {"--plugin", true},         {"--accuracy-budget", true},
    {"--memory-limit", true},   {"--save-tactics", true},
    {"--load-tactics", true},   {"--alias", true},
    {"--shape-profile", false}, {"--flush-subnormals", false},
};

}  // namespace

void BuildFlags::add_to(CLI::App& command, bool with_shapes) {
  const auto add_list = [&](const char* name, std::vector<std::string>& into, const char* text) {
    return command.add_option(name, into, text)->allow_extra_args(false)->group("Build");
  };
  add_list("--target", targets_,
           "cpu:native, cpu:x86-64-v3 or cpu:x86-64-v4, each with +FEATURE or -FEATURE")
      ->default_str("cpu:native");
  if (with_shapes) {
    add_list("--shape", shapes_, "NAME=1x3x224x224 or NAME=MIN:OPT:MAX; repeat for each input");
  }
  command.add_option("--opt-level", options_.opt_level, "0 (fast build) to 5 (fast plan)")
      ->check(CLI::Range(0, 5))
      ->capture_default_str()
      ->group("Build");
  command
      .add_option("--threads", options_.threads,
                  "Threads the plan is tuned for and run with; 0: all")
      ->capture_default_str()
      ->group("Build");
  command
      .add_flag("--strict-numerics", options_.strict_numerics,
                "Only algorithms as exact as the direct one")
      ->group("Build");
  command
      .add_flag("--checked-kernels", options_.checked_kernels,
                "Test every load and store of generated code, slowly")
      ->group("Build");
  add_list("--disable-pass", options_.disabled_passes,
           "Switch off a pass by name; all: every optional one");
  add_list("--print-after", options_.print_after, "Print the graph after a pass; all: after each");
  command
      .add_option("--stop-after", options_.stop_after_rewrites,
                  "No rewrite after so many, to find a wrong one by bisection")
      ->group("Build");
  command
      .add_option("--reproducer-dir", options_.reproducer_directory,
                  "Folder where a failing pass leaves its graph")
      ->group("Build");
  for (const PlannedOption& planned : kPlannedOptions) {
    const auto note = [this, name = planned.name](const CLI::results_t&) {
      planned_.push_back(name);
      return true;
    };
    CLI::Option* option = command.add_option(planned.name, note, "Not supported yet");
    option->group("Planned");
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (planned.takes_value) {
      option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
    } else {
      option->type_size(0)->expected(0, CLI::detail::expected_max_vector_size);
    }
  }
}

Result<BuildOptions> BuildFlags::resolve(const Session& session) const {
  if (!planned_.empty()) return not_supported_yet(fmt::format("{}", fmt::join(planned_, ", ")));
  if (targets_.size() > 1) return not_supported_yet("more than one --target in a plan");
  BuildOptions options = options_;
  if (!targets_.empty()) options.target = targets_.front();
  TENON_ASSIGN(options.shapes, parse_shape_profile(shapes_));
  options.logger = session.logger();
  return options;
}

Result<Network> load_network(const std::string& path, const Session& session,
                             ModelSummary* summary) {
  ParserOptions options;
  options.logger = session.logger();
  options.summary = summary;
  return parse_onnx(path, options);
}

std::string describe(const ModelSummary& summary) {
  std::string opsets;
  for (const auto& [domain, version] : summary.opsets) {
    if (!opsets.empty()) opsets += ", ";
    opsets += domain.empty() || domain == "ai.onnx" ? fmt::format("opset {}", version)
                                                    : fmt::format("{} {}", domain, version);
  }
  return fmt::format("{}, {} nodes, {} parameters ({})", opsets, summary.node_count,
                     count_text(summary.parameter_count), bytes_text(summary.parameter_bytes));
}

}  // namespace tenon::tools
