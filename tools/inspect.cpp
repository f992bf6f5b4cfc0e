// SPDX-License-Identifier: Apache-2.0
// tenon inspect MODEL.plan
#include "tools/commands.h"

#include <tenon/inspect.h>

#include <fmt/format.h>

namespace tenon::tools {
namespace {

struct InspectArguments {
  std::string plan;
  InspectOptions options;
};

Status inspect(const InspectArguments& arguments) {
  TENON_ASSIGN(std::string text, inspect_plan(arguments.plan, arguments.options));
  fmt::print("{}{}", text, text.empty() || text.back() != '\n' ? "\n" : "");
  return {};
}

}  // namespace

void add_inspect_command(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("inspect", "Show what a plan holds: bindings, steps, tactics, memory");
  auto arguments = std::make_shared<InspectArguments>();
  command->add_option("MODEL.plan", arguments->plan, "The plan")->required();
  command->add_flag("--json", arguments->options.json, "As JSON");
  command->add_flag("--kernels", arguments->options.kernels,
                    "Also the loops of every kernel and the graph");
  command->callback([arguments, &session] { session.finish(inspect(*arguments)); });
}

}  // namespace tenon::tools
