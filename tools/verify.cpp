// SPDX-License-Identifier: Apache-2.0
// tenon verify MODEL.onnx: every tensor of the plan, as fused, against the reference.
#include <tenon/verify.h>

#include "tools/build_flags.h"
#include "tools/commands.h"
#include "tools/json_report.h"
#include "tools/progress.h"
#include "tools/tensor_file.h"

#include <fmt/format.h>

namespace tenon::tools {
namespace {

struct VerifyArguments {
  BuildFlags flags;
  std::string model, plan;
  std::vector<std::string> inputs;
  double limit = 1e-3;
  uint64_t seed = 1;
  bool no_passes = false, both = false, json = false;
};

struct Verified {
  std::string name;
  VerifyReport report;
};

/// The plan of the file, or one built in memory.
Result<Engine> make_engine(const VerifyArguments& arguments, BuildOptions options, bool no_passes,
                           const Session& session) {
  EngineOptions engine_options;
  engine_options.threads = options.threads;
  engine_options.logger = options.logger;
  if (!arguments.plan.empty()) return Engine::load(arguments.plan, engine_options);
  if (no_passes) options.disabled_passes = {"all"};
  ProgressBar bar(session);
  options.progress = bar.callback();
  TENON_ASSIGN(Network network, load_network(arguments.model, session));
  TENON_ASSIGN(const std::vector<std::byte> plan, build_plan(std::move(network), options));
  return Engine::load_from_memory(plan, engine_options);
}

Result<Verified> verify_once(const VerifyArguments& arguments, bool no_passes,
                             const Session& session) {
  TENON_ASSIGN(BuildOptions build_options, arguments.flags.resolve(session));
  VerifyOptions options;
  TENON_ASSIGN(options.inputs, read_inputs(arguments.inputs));
  options.seed = arguments.seed;
  options.relative_l2_limit = arguments.limit;
  TENON_ASSIGN(Engine engine, make_engine(arguments, std::move(build_options), no_passes, session));
  TENON_ASSIGN(Network network, load_network(arguments.model, session));
  ProgressBar bar(session);
  long done = 0;
  options.on_tensor = [&](const TensorComparison& comparison) {
    bar.show("compare", ++done, static_cast<long>(engine.steps().size()));
    if (session.verbose) {
      fmt::print(stderr, "  {:<40} relative L2 {:.2e}   {}\n", comparison.tensor,
                 comparison.relative_l2, fmt::join(comparison.origins, " + "));
    }
  };
  TENON_ASSIGN(VerifyReport report, verify_plan(network, engine, options));
  const char* name = !arguments.plan.empty() ? "plan" : no_passes ? "no passes" : "all passes";
  return Verified{name, std::move(report)};
}

std::string difference_text(const TensorComparison& comparison) {
  return comparison.has_nan ? "NaN" : fmt::format("{:.2e}", comparison.relative_l2);
}

void print_report(const Verified& verified, const VerifyArguments& arguments) {
  const VerifyReport& report = verified.report;
  if (arguments.both) fmt::print("{}:\n", verified.name);
  if (!report.failures.empty()) {
    fmt::print("  relative L2  largest difference  tensor (ONNX nodes)\n");
    constexpr size_t kShown = 20;
    for (size_t i = 0; i < report.failures.size() && i < kShown; ++i) {
      const TensorComparison& failure = report.failures[i];
      fmt::print("  {:>11}  {:>18.3g}  {} ({})\n", difference_text(failure), failure.max_absolute,
                 failure.tensor, fmt::join(failure.origins, " + "));
    }
    if (report.failures.size() > kShown)
      fmt::print("  and {} more\n", report.failures.size() - kShown);
    const TensorComparison& first = report.failures.front();
    fmt::print("first bad: tensor \"{}\" of {}\n", first.tensor, fmt::join(first.origins, " + "));
  }
  for (const TensorComparison& output : report.outputs) {
    fmt::print("output {}: relative L2 {}, largest difference {:.3g}\n", output.tensor,
               difference_text(output), output.max_absolute);
  }
  fmt::print("{} tensors compared, {} failed\n", report.compared, report.failed);
}

Json comparison_json(const TensorComparison& comparison) {
  // JSON has no infinity: null means that NaN or infinity stands against a number.
  return {{"tensor", comparison.tensor},           {"origins", comparison.origins},
          {"relative_l2", comparison.relative_l2}, {"max_absolute", comparison.max_absolute},
          {"has_nan", comparison.has_nan},         {"passed", comparison.passed}};
}

Json make_json(const std::vector<Verified>& runs, const VerifyArguments& arguments) {
  Json json = json_report("verify");
  json["model"] = arguments.model;
  json["relative_l2_limit"] = arguments.limit;
  json["runs"] = Json::array();
  for (const Verified& run : runs) {
    Json entry = {
        {"name", run.name}, {"compared", run.report.compared}, {"failed", run.report.failed}};
    entry["failures"] = Json::array();
    for (const TensorComparison& failure : run.report.failures)
      entry["failures"].push_back(comparison_json(failure));
    entry["outputs"] = Json::array();
    for (const TensorComparison& output : run.report.outputs)
      entry["outputs"].push_back(comparison_json(output));
    json["runs"].push_back(std::move(entry));
  }
  return json;
}

Result<int> verify(const VerifyArguments& arguments, const Session& session) {
  std::vector<bool> modes = {arguments.no_passes};
  if (arguments.both) modes = {true, false};
  std::vector<Verified> runs;
  int64_t failed = 0;
  for (const bool no_passes : modes) {
    TENON_ASSIGN(Verified verified, verify_once(arguments, no_passes, session));
    failed += verified.report.failed;
    if (!arguments.json) print_report(verified, arguments);
    runs.push_back(std::move(verified));
  }
  if (arguments.json) TENON_RETURN_IF_ERROR(write_json("-", make_json(runs, arguments)));
  return failed == 0 ? kDone : kUserError;
}

}  // namespace

void add_verify_command(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("verify", "Compare every tensor of a plan with the model's reference");
  auto arguments = std::make_shared<VerifyArguments>();
  command->add_option("MODEL.onnx", arguments->model, "The model")->required();
  CLI::Option* plan = command->add_option("--plan", arguments->plan,
                                          "A plan of the model; without it, one is built");
  command
      ->add_option("--input", arguments->inputs, "NAME=FILE.npy; inputs left out get random values")
      ->allow_extra_args(false);
  command->add_option("--seed", arguments->seed, "Of random inputs")->capture_default_str();
  command->add_option("--limit", arguments->limit, "Largest relative L2 distance of a float tensor")
      ->capture_default_str();
  CLI::Option* no_passes =
      command->add_flag("--no-passes", arguments->no_passes, "Build without optional passes")
          ->excludes(plan);
  command->add_flag("--both", arguments->both, "Without passes, then with all")
      ->excludes(plan)
      ->excludes(no_passes);
  command->add_flag("--json", arguments->json, "As JSON");
  arguments->flags.add_to(*command);
  command->callback([arguments, &session] { session.finish(verify(*arguments, session)); });
}

}  // namespace tenon::tools
