// SPDX-License-Identifier: Apache-2.0
// tenon build MODEL.onnx -o MODEL.plan
#include "tools/build_flags.h"
#include "tools/commands.h"
#include "tools/json_report.h"
#include "tools/progress.h"
#include "tools/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

namespace tenon::tools {
namespace {

struct BuildArguments {
  BuildFlags flags;
  std::string model, plan, json;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// "53 conv+relu, 2 max_pool, gemm", the most frequent first.
std::string describe_groups(const std::map<std::string, int64_t>& groups) {
  std::vector<std::pair<std::string, int64_t>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr size_t kShown = 6;
  std::string text;
  for (size_t i = 0; i < sorted.size() && i < kShown; ++i) {
    if (i > 0) text += ", ";
    text += sorted[i].second > 1 ? fmt::format("{} {}", sorted[i].second, sorted[i].first)
                                 : sorted[i].first;
  }
  if (sorted.size() > kShown) text += fmt::format(", {} other kinds", sorted.size() - kShown);
  return text;
}

void print_report(const BuildArguments& arguments, const BuildOptions& options,
                  const ModelSummary& summary, const BuildReport& report, int64_t plan_bytes,
                  double seconds) {
  double pass_seconds = 0;
  for (const PassTime& pass : report.passes) pass_seconds += pass.seconds;
  fmt::print("model     {}   {}\n", arguments.model, describe(summary));
  fmt::print("target    {}   {}; {}\n", options.target, report.target,
             options.threads == 0 ? "all threads" : fmt::format("{} threads", options.threads));
  fmt::print("profile   {}\n", report.profile);
  fmt::print("passes    {} nodes → {} steps   ({})   {:.1f} s\n", report.nodes_before, report.steps,
             describe_groups(report.groups), pass_seconds);
  fmt::print("memory    arena {} (lower bound {}), weights {}, code {}\n",
             bytes_text(report.arena_bytes), bytes_text(report.arena_lower_bound),
             bytes_text(report.weight_bytes), bytes_text(report.code_bytes));
  fmt::print("wrote     {}   {}   in {:.1f} s\n", arguments.plan, bytes_text(plan_bytes), seconds);
}

Json make_json(const BuildArguments& arguments, const ModelSummary& summary,
               const BuildReport& report, int64_t plan_bytes, double seconds) {
  Json json = json_report("build");
  json["model"] = {{"path", arguments.model},
                   {"nodes", summary.node_count},
                   {"parameters", summary.parameter_count},
                   {"parameter_bytes", summary.parameter_bytes}};
  json["plan"] = {{"path", arguments.plan}, {"bytes", plan_bytes}};
  json["target"] = report.target;
  json["profile"] = report.profile;
  json["nodes"] = report.nodes_before;
  json["steps"] = report.steps;
  json["groups"] = report.groups;
  json["memory_bytes"] = {{"arena", report.arena_bytes},
                          {"arena_lower_bound", report.arena_lower_bound},
                          {"weights", report.weight_bytes},
                          {"code", report.code_bytes}};
  json["passes"] = Json::array();
  for (const PassTime& pass : report.passes) {
    json["passes"].push_back({{"phase", pass.phase},
                              {"name", pass.name},
                              {"rewrites", pass.rewrites},
                              {"time_s", pass.seconds}});
  }
  json["time_s"] = seconds;
  return json;
}

Status build(const BuildArguments& arguments, const Session& session) {
  const auto start = std::chrono::steady_clock::now();
  TENON_ASSIGN(BuildOptions options, arguments.flags.resolve(session));
  ModelSummary summary;
  TENON_ASSIGN(Network network, load_network(arguments.model, session, &summary));
  BuildReport report;
  {
    ProgressBar bar(session);
    options.progress = bar.callback();
    TENON_RETURN_IF_ERROR(build_plan_file(std::move(network), arguments.plan, options, &report));
  }
  std::error_code ignored;
  const auto plan_bytes = static_cast<int64_t>(std::filesystem::file_size(arguments.plan, ignored));
  const double seconds = seconds_since(start);
  if (!session.quiet && arguments.json != "-") {
    print_report(arguments, options, summary, report, plan_bytes, seconds);
  }
  if (session.verbose) {
    for (const PassTime& pass : report.passes) {
      fmt::print(stderr, "  {:<10} {:<30} {:>6} rewrites   {:.3f} s\n", pass.phase, pass.name,
                 pass.rewrites, pass.seconds);
    }
  }
  if (arguments.json.empty()) return {};
  return write_json(arguments.json, make_json(arguments, summary, report, plan_bytes, seconds));
}

}  // namespace

void add_build_command(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("build", "Turn an ONNX model into an engine plan");
  auto arguments = std::make_shared<BuildArguments>();
  command->add_option("MODEL.onnx", arguments->model, "The model")->required();
  command->add_option("-o,--output", arguments->plan, "The plan to write")->required();
  command->add_option("--json", arguments->json,
                      "Write the report to a file as JSON; -: to stdout");
  arguments->flags.add_to(*command);
  command->callback([arguments, &session] { session.finish(build(*arguments, session)); });
}

}  // namespace tenon::tools
