// SPDX-License-Identifier: Apache-2.0
// What inspect_plan reports, before it is text.
#pragma once

#include <tenon/inspect.h>

#include <string>
#include <vector>

#include "runtime/engine_implementation.h"

namespace tenon::runtime {

struct PlanReport {
  const plan::Plan& plan;
  std::vector<BindingInfo> inputs, outputs;
  std::vector<StepInfo> steps;
  uint16_t format_major, format_minor;
};

std::string inspect_text(const PlanReport& report, const InspectOptions& options);
std::string inspect_json(const PlanReport& report, const InspectOptions& options);

}  // namespace tenon::runtime
