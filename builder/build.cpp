// SPDX-License-Identifier: Apache-2.0
// From a network to a plan: the whole way, phase by phase.
#include "builder/codegen/cpu/target.h"
#include "builder/compile_steps.h"
#include "builder/emit/emit_plan.h"
#include "builder/memory/graph_bound.h"
#include "builder/ops/op.h"
#include "builder/pipeline.h"
#include "builder/profile.h"

#include <tenon/builder.h>

#include <new>

namespace tenon {
namespace {

int64_t count_nodes(const ir::Graph& graph) {
  int64_t count = 0;
  for (const auto& node : graph.body().nodes()) {
    count += node->is_constant() || node->op() == ir::Node::kReturnOp ? 0 : 1;
  }
  return count;
}

void fill_report(BuildReport& report, const codegen::Target& target, const emit::StepList& steps,
                 const emit::EmittedPlan& plan) {
  report.target = target.description();
  report.profile = plan.debug.profile;
  report.steps = static_cast<int64_t>(steps.steps.size());
  for (const emit::Step& step : steps.steps) ++report.groups[step.operators];
  report.arena_bytes = static_cast<int64_t>(plan.meta.program->arena_bytes);
  report.arena_lower_bound = static_cast<int64_t>(plan.meta.program->arena_lower_bound);
  report.weight_bytes = plan.weight_bytes;
  report.code_bytes = static_cast<int64_t>(plan.code.size());
}

/// Everything up to writing, which `write` does with the finished parts.
template <typename Write>
auto build(Network network, const BuildOptions& options, BuildReport* report, const Write& write)
    -> decltype(write(plan::PlanParts())) {
  TENON_ASSIGN(const codegen::Target target, codegen::parse_target(options.target));
  ir::Graph& graph = network.graph();
  if (graph.body().results().empty()) {
    return Status(ErrorCode::invalid_model, "the network has no output; mark one");
  }
  if (report) report->nodes_before = count_nodes(graph);
  TENON_RETURN_IF_ERROR(apply_profile(graph, options.shapes));
  const int64_t unrewritten_bound = memory::graph_lower_bound(graph);
  TENON_RETURN_IF_ERROR(run_passes(make_pipeline(), graph, options, report));
  TENON_ASSIGN(const emit::StepList steps, compile_steps(graph, target, options));
  TENON_ASSIGN(emit::EmittedPlan plan,
               emit::emit_plan(graph, steps, target, describe_profile(graph), options.checked_kernels));
  plan.meta.program->unrewritten_lower_bound = static_cast<uint64_t>(unrewritten_bound);
  if (report) fill_report(*report, target, steps, plan);
  return write(plan.parts());
}

}  // namespace

Result<std::vector<std::byte>> build_plan(Network network, const BuildOptions& options,
                                          BuildReport* report) try {
  return build(std::move(network), options, report, plan::write_plan);
} catch (const std::bad_alloc&) {
  return Status(ErrorCode::out_of_memory, "the build needs more memory than there is");
} catch (const std::exception& error) {
  return Status(ErrorCode::internal, std::string("the build threw: ") + error.what());
}

Status build_plan_file(Network network, const std::string& path, const BuildOptions& options,
                       BuildReport* report) try {
  return build(std::move(network), options, report,
               [&path](const plan::PlanParts& parts) { return plan::write_plan_file(path, parts); });
} catch (const std::bad_alloc&) {
  return Status(ErrorCode::out_of_memory, "the build needs more memory than there is");
} catch (const std::exception& error) {
  return Status(ErrorCode::internal, std::string("the build threw: ") + error.what());
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass& pass : make_pipeline()) names.push_back(pass.name);
  return names;
}

}  // namespace tenon
