// SPDX-License-Identifier: Apache-2.0
#include "tools/layer_times.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::tools {
namespace {

/// The ONNX nodes, or what a step without any does.
std::string layer_name(const StepInfo& step) {
  if (step.origins.empty()) return step.operators.empty() ? step.name : step.operators;
  return fmt::format("{}", fmt::join(step.origins, " + "));
}

}  // namespace

std::vector<LayerTime> rate_layers(const std::vector<StepInfo>& steps,
                                   const std::vector<double>& seconds, const MachinePeak& peak,
                                   uint32_t threads) {
  double sum = 0;
  for (double time : seconds) sum += time;
  constexpr double kCachedBytes = 1 << 20;
  std::vector<LayerTime> layers;
  for (size_t i = 0; i < steps.size() && i < seconds.size(); ++i) {
    const StepInfo& step = steps[i];
    const bool cached = step.bytes <= kCachedBytes * threads;
    const double compute_time = step.operations / peak.flops_per_second;
    const double memory_time =
        step.bytes / (cached ? peak.cache_bytes_per_second : peak.memory_bytes_per_second);
    LayerTime layer;
    layer.step = &step;
    layer.seconds = seconds[i];
    layer.compute_bound = compute_time >= memory_time;
    if (seconds[i] > 0) {
      layer.share = seconds[i] / sum;
      layer.flops_per_second = step.operations / seconds[i];
      layer.peak_share = compute_time / seconds[i];
      layer.bound_share = std::max(compute_time, memory_time) / seconds[i];
    }
    layers.push_back(layer);
  }
  std::stable_sort(layers.begin(), layers.end(),
                   [](const LayerTime& a, const LayerTime& b) { return a.seconds > b.seconds; });
  return layers;
}

void print_layers(const std::vector<LayerTime>& layers, const MachinePeak& peak) {
  fmt::print(
      "peak      {:.0f} GF/s multiply-add, {:.1f} GB/s from cache, {:.1f} GB/s from memory, "
      "measured now\n\n",
      peak.flops_per_second / 1e9, peak.cache_bytes_per_second / 1e9,
      peak.memory_bytes_per_second / 1e9);
  size_t tactic_width = 6;
  for (const LayerTime& layer : layers)
    tactic_width = std::max(tactic_width, layer.step->tactic.size());
  tactic_width = std::min<size_t>(tactic_width, 64);
  fmt::print("  share        ms    GF/s  % peak  % bound  bound    {:<{}}  layer (ONNX nodes)\n",
             "tactic", tactic_width);
  for (const LayerTime& layer : layers) {
    fmt::print("{:>5.1f} %  {:>8.4f}  {:>6.1f}  {:>4.0f} %   {:>4.0f} %  {:<7}  {:<{}}  {}\n",
               100 * layer.share, 1e3 * layer.seconds, layer.flops_per_second / 1e9,
               100 * layer.peak_share, 100 * layer.bound_share,
               layer.compute_bound ? "compute" : "memory", layer.step->tactic, tactic_width,
               layer_name(*layer.step));
  }
}

Json layers_json(const std::vector<LayerTime>& layers) {
  Json json = Json::array();
  for (const LayerTime& layer : layers) {
    json.push_back({{"name", layer.step->name},
                    {"origins", layer.step->origins},
                    {"operators", layer.step->operators},
                    {"tactic", layer.step->tactic},
                    {"time_ms", 1e3 * layer.seconds},
                    {"share", layer.share},
                    {"operations", layer.step->operations},
                    {"bytes", layer.step->bytes},
                    {"gflops_per_s", layer.flops_per_second / 1e9},
                    {"peak_share", layer.peak_share},
                    {"bound_share", layer.bound_share},
                    {"bound", layer.compute_bound ? "compute" : "memory"}});
  }
  return json;
}

}  // namespace tenon::tools
