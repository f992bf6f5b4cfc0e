// SPDX-License-Identifier: Apache-2.0
// tenon run MODEL.plan: runs a plan once and shows or writes its outputs.
#include "tools/bound_context.h"
#include "tools/commands.h"
#include "tools/element.h"
#include "tools/json_report.h"
#include "tools/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace tenon::tools {
namespace {

struct RunArguments {
  std::string plan, folder;
  std::vector<std::string> inputs, shapes, masked_features;
  uint32_t threads = 0;
  uint64_t seed = 1;
  bool json = false, verify_weights = false;
};

constexpr int64_t kShownElements = 8;

std::string type_text(const TensorData& tensor) {
  return fmt::format("{}[{}]", to_string(tensor.type), fmt::join(tensor.dims, ","));
}

void print_output(const std::string& name, const TensorData& tensor) {
  const TensorSummary summary = summarize(tensor);
  std::string values;
  for (int64_t i = 0; i < std::min(summary.count, kShownElements); ++i) {
    values += (i > 0 ? " " : "") + element_text(tensor, i);
  }
  if (summary.count > kShownElements) values += " …";
  fmt::print("{}   {}   {}\n", name, type_text(tensor), values);
  if (summary.count == 0) return;
  fmt::print("  min {:.6g}   max {:.6g}   mean {:.6g}{}\n", summary.minimum, summary.maximum,
             summary.mean,
             summary.nan_count > 0 ? fmt::format("   {} NaN", summary.nan_count) : "");
}

Json output_json(const std::string& name, const TensorData& tensor) {
  const TensorSummary summary = summarize(tensor);
  Json json = {{"name", name},
               {"type", to_string(tensor.type)},
               {"dims", tensor.dims},
               {"minimum", summary.minimum},
               {"maximum", summary.maximum},
               {"mean", summary.mean},
               {"nan_count", summary.nan_count}};
  json["first"] = Json::array();
  for (int64_t i = 0; i < std::min(summary.count, kShownElements); ++i)
    json["first"].push_back(element(tensor, i));
  return json;
}

Status write_outputs(const BoundContext& bound, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status(ErrorCode::io,
                  fmt::format("cannot make the folder {}: {}", folder, error.message()));
  std::map<std::string, std::string> names;
  for (const auto& [name, tensor] : bound.outputs()) {
    const auto [other, fresh] = names.emplace(output_path(folder, name), name);
    if (!fresh) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("outputs \"{}\" and \"{}\" would both be written to {}",
                                other->second, name, other->first));
    }
  }
  for (const auto& [name, tensor] : bound.outputs()) {
    TENON_RETURN_IF_ERROR(write_npy(output_path(folder, name), tensor));
  }
  return {};
}

Status run(const RunArguments& arguments, const Session& session) {
  TENON_ASSIGN(Shapes shapes, parse_shapes(arguments.shapes));
  TENON_ASSIGN(Tensors given, read_inputs(arguments.inputs));
  EngineOptions options;
  options.threads = arguments.threads;
  options.masked_features = arguments.masked_features;
  options.verify_weights = arguments.verify_weights;
  options.logger = session.logger();
  TENON_ASSIGN(Engine engine, Engine::load(arguments.plan, options));
  std::vector<std::string> random_names;
  TENON_ASSIGN(Tensors inputs,
               complete_inputs(engine, std::move(given), shapes, arguments.seed, &random_names));
  for (const std::string& name : random_names) {
    if (session.quiet) break;
    fmt::print(stderr, "input \"{}\": no --input given, so random values {} (seed {})\n", name,
               type_text(inputs.at(name)), arguments.seed);
  }
  TENON_ASSIGN(BoundContext bound, BoundContext::create(engine, inputs));
  TENON_RETURN_IF_ERROR(bound.run());
  if (!arguments.folder.empty()) TENON_RETURN_IF_ERROR(write_outputs(bound, arguments.folder));

  Json json = json_report("run");
  json["plan"] = arguments.plan;
  json["random_inputs"] = random_names;
  json["outputs"] = Json::array();
  for (const auto& [name, tensor] : bound.outputs()) {
    if (arguments.json) {
      json["outputs"].push_back(output_json(name, tensor));
    } else {
      print_output(name, tensor);
    }
    if (!arguments.folder.empty() && !session.quiet && !arguments.json) {
      fmt::print("  wrote {}\n", output_path(arguments.folder, name));
    }
  }
  return arguments.json ? write_json("-", json) : Status();
}

}  // namespace

void add_run_command(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("run", "Run a plan once and show its outputs");
  auto arguments = std::make_shared<RunArguments>();
  const auto add_list = [&](const char* name, std::vector<std::string>& into, const char* text) {
    return command->add_option(name, into, text)->allow_extra_args(false);
  };
  command->add_option("MODEL.plan", arguments->plan, "The plan")->required();
  add_list("--input", arguments->inputs, "NAME=FILE.npy; inputs left out get random values");
  add_list("--shape", arguments->shapes, "NAME=1x3x224x224 for a random input");
  command->add_option("--output", arguments->folder,
                      "Folder for NAME.npy of each output, / becomes _");
  command->add_option("--seed", arguments->seed, "Of random inputs")->capture_default_str();
  command->add_option("--threads", arguments->threads, "0: all processors")->capture_default_str();
  add_list("--mask-feature", arguments->masked_features,
           "Pretend that the processor lacks an instruction set");
  command->add_flag("--verify-weights", arguments->verify_weights,
                    "Also test the checksums of the weights");
  command->add_flag("--json", arguments->json, "As JSON");
  command->callback([arguments, &session] { session.finish(run(*arguments, session)); });
}

}  // namespace tenon::tools
