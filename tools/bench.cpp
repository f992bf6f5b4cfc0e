// SPDX-License-Identifier: Apache-2.0
// tenon bench MODEL.plan|MODEL.onnx: latency, rate and the time of each layer.
#include "tools/bound_context.h"
#include "tools/build_flags.h"
#include "tools/commands.h"
#include "tools/json_report.h"
#include "tools/layer_times.h"
#include "tools/measure.h"
#include "tools/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace tenon::tools {
namespace {

struct BenchArguments {
  BuildFlags flags;
  std::string file, json;
  std::vector<std::string> inputs, shapes;
  std::vector<double> percentiles = {50, 90, 99};
  LoadOptions load;
  double warmup_ms = 200;
  uint64_t seed = 1;
  bool layer_times = false;
};

bool is_model(const std::string& path) { return path.ends_with(".onnx"); }

/// The engine of a plan file, and the median time of a few loads: the file is in the page cache by then,
/// and verified each time.
Result<Engine> load_engine(const std::string& path, const EngineOptions& options, double* seconds) {
  constexpr int kLoads = 7;
  std::vector<double> times;
  for (int i = 1;; ++i) {
    const auto start = std::chrono::steady_clock::now();
    TENON_ASSIGN(Engine engine, Engine::load(path, options));
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (i < kLoads) continue;
    std::sort(times.begin(), times.end());
    *seconds = times[kLoads / 2];
    return engine;
  }
}

Result<Engine> make_engine(const BenchArguments& arguments, const Session& session,
                           double* load_seconds) {
  BuildFlags flags = arguments.flags;
  if (is_model(arguments.file)) flags.set_shapes(arguments.shapes);
  TENON_ASSIGN(BuildOptions options, flags.resolve(session));
  EngineOptions engine_options;
  engine_options.threads = options.threads;
  engine_options.logger = options.logger;
  if (!is_model(arguments.file)) {
    return load_engine(arguments.file, engine_options, load_seconds);
  }
  TENON_ASSIGN(Network network, load_network(arguments.file, session));
  ProgressBar bar(session);
  options.progress = bar.callback();
  TENON_ASSIGN(const std::vector<std::byte> plan, build_plan(std::move(network), options));
  return Engine::load_from_memory(plan, engine_options);
}

Result<Tensors> make_inputs(const BenchArguments& arguments, const Engine& engine) {
  Shapes shapes;
  if (!is_model(arguments.file)) {
    TENON_ASSIGN(shapes, parse_shapes(arguments.shapes));
  }
  TENON_ASSIGN(Tensors given, read_inputs(arguments.inputs));
  return complete_inputs(engine, std::move(given), shapes, arguments.seed, nullptr);
}

std::string percentile_name(double percent) { return fmt::format("p{:g}", percent); }

void print_load(const BenchArguments& arguments, const Engine& engine, const LoadResult& result) {
  std::string percentiles;
  for (double percent : arguments.percentiles) {
    percentiles += fmt::format("{} {:.4g} ms   ", percentile_name(percent),
                               1e3 * percentile(result.latencies, percent));
  }
  fmt::print("latency   {}min {:.4g} ms   ({} runs, {} threads, {} {})\n", percentiles,
             1e3 * result.latencies.front(), result.latencies.size(), engine.worker_count(),
             arguments.load.contexts, arguments.load.contexts == 1 ? "context" : "contexts");
  fmt::print("rate      {:.4g} /s\n",
             static_cast<double>(result.latencies.size()) / result.seconds);
}

Json make_json(const BenchArguments& arguments, const Engine& engine, const Tensors& inputs,
               const LoadResult& result) {
  Json json = json_report("bench");
  json["file"] = arguments.file;
  json["target"] = engine.target();
  json["threads"] = engine.worker_count();
  json["contexts"] = arguments.load.contexts;
  json["inputs"] = Json::array();
  for (const auto& [name, tensor] : inputs) {
    json["inputs"].push_back(
        {{"name", name}, {"type", to_string(tensor.type)}, {"dims", tensor.dims}});
  }
  json["runs"] = result.latencies.size();
  double sum = 0;
  for (double latency : result.latencies) sum += latency;
  Json& latency = json["latency_ms"];
  for (double percent : arguments.percentiles) {
    latency[percentile_name(percent)] = 1e3 * percentile(result.latencies, percent);
  }
  latency["min"] = 1e3 * result.latencies.front();
  latency["max"] = 1e3 * result.latencies.back();
  latency["mean"] = 1e3 * sum / static_cast<double>(result.latencies.size());
  json["rate_per_s"] = static_cast<double>(result.latencies.size()) / result.seconds;
  json["memory_bytes"] = {{"arena", engine.arena_bytes()},
                          {"arena_lower_bound", engine.arena_lower_bound()},
                          {"weights", engine.weight_bytes()},
                          {"code", engine.code_bytes()}};
  return json;
}

Status bench(const BenchArguments& arguments, const Session& session) {
  LoadOptions load = arguments.load;
  load.warmup_seconds = arguments.warmup_ms / 1e3;
  double load_seconds = 0;
  TENON_ASSIGN(Engine engine, make_engine(arguments, session, &load_seconds));
  TENON_ASSIGN(Tensors inputs, make_inputs(arguments, engine));
  TENON_ASSIGN(LoadResult result, measure_load(engine, inputs, load));
  const bool text = arguments.json != "-";
  Json json = make_json(arguments, engine, inputs, result);
  if (!is_model(arguments.file)) {
    json["load_ms"] = 1e3 * load_seconds;
    if (text) fmt::print("load      {:.3g} ms   (verified; file in the page cache)\n", 1e3 * load_seconds);
  }
  if (text) print_load(arguments, engine, result);
  if (arguments.layer_times) {
    const uint32_t threads = engine.worker_count();
    TENON_ASSIGN(std::vector<double> seconds, measure_steps(engine, inputs, load.duration_seconds));
    const MachinePeak peak = measure_peak(threads);
    const std::vector<LayerTime> layers = rate_layers(engine.steps(), seconds, peak, threads);
    if (text) print_layers(layers, peak);
    json["peak"] = {{"gflops_per_s", peak.flops_per_second / 1e9},
                    {"cache_gb_per_s", peak.cache_bytes_per_second / 1e9},
                    {"memory_gb_per_s", peak.memory_bytes_per_second / 1e9}};
    json["layers"] = layers_json(layers);
  }
  return arguments.json.empty() ? Status() : write_json(arguments.json, json);
}

}  // namespace

void add_bench_command(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure latency, rate and the time of each layer");
  auto arguments = std::make_shared<BenchArguments>();
  const auto add_list = [&](const char* name, auto& into, const char* text) {
    return command->add_option(name, into, text)->allow_extra_args(false);
  };
  command
      ->add_option("FILE", arguments->file,
                   "A plan, or a model (.onnx), which is built in memory first")
      ->required();
  add_list("--input", arguments->inputs, "NAME=FILE.npy; inputs left out get random values");
  add_list("--shape", arguments->shapes, "NAME=1x3x224x224; for a model also NAME=MIN:OPT:MAX");
  command->add_option("--warmup", arguments->warmup_ms, "Milliseconds")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--duration", arguments->load.duration_seconds, "Seconds")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_list("--percentile", arguments->percentiles, "Of the latency; repeat for more")
      ->check(CLI::Range(0.0, 100.0))
      ->default_str("50, 90, 99");
  command
      ->add_option("--contexts", arguments->load.contexts,
                   "Contexts that run at once, each from a thread of its own")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--layer-times", arguments->layer_times,
                    "Also the time of each layer, and how near it is to the peak");
  command->add_option("--seed", arguments->seed, "Of random inputs")->capture_default_str();
  command->add_option("--json", arguments->json,
                      "Write the report to a file as JSON; -: to stdout");
  arguments->flags.add_to(*command, false);
  command->callback([arguments, &session] {
    const Status status = bench(*arguments, session);
    session.finish(status);
    if (arguments->json != "-") fmt::print("{}\n", status.ok() ? "passed" : "failed");
  });
}

}  // namespace tenon::tools
