// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/codegen/cpu/target.h"
#include "builder/emit/step.h"
#include "builder/ir/graph.h"
#include "runtime/plan/debug_generated.h"
#include "runtime/plan/meta_generated.h"
#include "runtime/plan/writer.h"

#include <tenon/status.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::emit {

/// A whole plan, ready for plan::write_plan. Weights are packed while they are written.
struct EmittedPlan {
  plan::MetaT meta;
  plan::DebugT debug;
  std::vector<std::byte> code;
  std::vector<plan::WeightPart> weights;
  int64_t weight_bytes = 0;

  plan::PlanParts parts() const { return {&meta, code, weights, &debug}; }
};

/// Numbers buffers and dims, plans the arena and collects code, weights and debug information. The graph
/// must outlive the result, which reads its constants.
Result<EmittedPlan> emit_plan(const ir::Graph& graph, const StepList& steps, const codegen::Target& target,
                              const std::string& profile, bool checked);

}  // namespace tenon::emit
