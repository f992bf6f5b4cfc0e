// SPDX-License-Identifier: Apache-2.0
// tenon check MODEL.onnx: every node that cannot be built, with its reason.
#include "tools/build_flags.h"
#include "tools/commands.h"
#include "tools/json_report.h"

#include <tenon/parser.h>

#include <fmt/format.h>

#include <algorithm>

namespace tenon::tools {
namespace {

void print_problems(const std::vector<ModelProblem>& problems, int64_t node_count) {
  const auto nodes =
      std::count_if(problems.begin(), problems.end(),
                    [](const ModelProblem& problem) { return problem.node_index >= 0; });
  fmt::print("{} problems; {} of {} nodes are affected\n", problems.size(), nodes, node_count);
  for (const ModelProblem& problem : problems) {
    if (problem.node_index >= 0) {
      fmt::print("  node {} \"{}\" {}: {}\n", problem.node_index, problem.node_name,
                 problem.op_type, problem.reason.to_string());
    } else {
      fmt::print("  {}\n", problem.reason.to_string());
    }
  }
}

void print_operators(const ModelSummary& summary) {
  std::vector<std::pair<std::string, int64_t>> sorted(summary.operators.begin(),
                                                      summary.operators.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [name, count] : sorted) fmt::print("  {:>5}  {}\n", count, name);
}

Json make_json(const std::string& model, const ModelSummary& summary,
               const std::vector<ModelProblem>& problems) {
  Json json = json_report("check");
  json["model"] = model;
  json["supported"] = problems.empty();
  json["nodes"] = summary.node_count;
  json["operators"] = summary.operators;
  json["problems"] = Json::array();
  for (const ModelProblem& problem : problems) {
    Json entry = {{"code", to_string(problem.reason.code())}, {"reason", problem.reason.message()}};
    if (problem.node_index >= 0) {
      entry["node"] = {{"index", problem.node_index},
                       {"name", problem.node_name},
                       {"operator", problem.op_type}};
    }
    json["problems"].push_back(std::move(entry));
  }
  return json;
}

Result<int> check(const std::string& model, bool as_json, const Session& session) {
  ModelSummary summary;
  std::vector<ModelProblem> problems;
  ParserOptions options;
  options.logger = session.logger();
  options.summary = &summary;
  options.problems = &problems;
  const Result<Network> network = parse_onnx(model, options);
  if (!network.ok() && (problems.empty() || summary.node_count == 0)) return network.status();
  const int status = problems.empty() ? kDone : kUserError;
  if (as_json) {
    TENON_RETURN_IF_ERROR(write_json("-", make_json(model, summary, problems)));
    return status;
  }
  if (problems.empty()) {
    fmt::print("{}: {}\nall {} nodes are supported\n", model, describe(summary),
               summary.node_count);
  } else {
    fmt::print("{}: {}\n", model, describe(summary));
    print_problems(problems, summary.node_count);
  }
  if (!session.quiet) print_operators(summary);
  return status;
}

struct CheckArguments {
  std::string model;
  bool json = false;
};

}  // namespace

void add_check_command(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand(
      "check", "List every node of a model that cannot be built, with its reason");
  auto arguments = std::make_shared<CheckArguments>();
  command->add_option("MODEL.onnx", arguments->model, "The model")->required();
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback(
      [arguments, &session] { session.finish(check(arguments->model, arguments->json, session)); });
}

}  // namespace tenon::tools
