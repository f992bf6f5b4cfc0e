// SPDX-License-Identifier: Apache-2.0
// How near each step of a plan comes to what the machine can do.
#pragma once

#include "tools/json_report.h"
#include "tools/peak.h"

#include <tenon/runtime.h>

#include <string>
#include <vector>

namespace tenon::tools {

struct LayerTime {
  const StepInfo* step = nullptr;
  double seconds = 0;
  double share = 0;  ///< of the sum of all steps
  double flops_per_second = 0;
  double peak_share = 0;   ///< of the multiply-add loop
  double bound_share = 0;  ///< of the ceiling: the larger of compute and memory time
  bool compute_bound = false;
};

/// Slowest first. Bytes up to 1 MiB per thread are charged at the rate of the cache, others at that
/// of memory.
std::vector<LayerTime> rate_layers(const std::vector<StepInfo>& steps,
                                   const std::vector<double>& seconds, const MachinePeak& peak,
                                   uint32_t threads);
void print_layers(const std::vector<LayerTime>& layers, const MachinePeak& peak);
Json layers_json(const std::vector<LayerTime>& layers);

}  // namespace tenon::tools
