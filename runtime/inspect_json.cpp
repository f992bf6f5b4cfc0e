// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/json_writer.h"
#include "runtime/base/version.h"
#include "runtime/inspect.h"

namespace tenon::runtime {
namespace {

void write_strings(JsonWriter& json, const char* key, const std::vector<std::string>& items) {
  json.begin_array(key);
  for (const std::string& item : items) json.value(item);
  json.end_array();
}

void write_bindings(JsonWriter& json, const char* key, const std::vector<BindingInfo>& bindings) {
  json.begin_array(key);
  for (const BindingInfo& info : bindings) {
    json.begin_object();
    json.field("name", info.name);
    json.field("type", to_string(info.type));
    json.begin_array("dims");
    for (const DimInfo& dim : info.dims) {
      json.begin_object();
      json.field("expression", dim.expression);
      json.field("minimum", dim.minimum);
      json.field("optimum", dim.optimum);
      json.field("maximum", dim.maximum);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_tensors(JsonWriter& json, const plan::DebugStepT& debug) {
  json.begin_array("tensors");
  for (const auto& tensor : debug.tensors) {
    json.begin_object();
    json.field("name", tensor->name);
    json.field("type", to_string(static_cast<DataType>(tensor->type)));
    json.begin_array("permutation");
    for (const int32_t axis : tensor->permutation) json.value(axis);
    json.end_array();
    json.begin_array("blocks");
    for (size_t k = 0; k < tensor->block_axes.size(); ++k) {
      json.begin_object();
      json.field("axis", tensor->block_axes[k]);
      json.field("size", tensor->block_sizes[k]);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_step(JsonWriter& json, const PlanReport& report, size_t number, bool kernels) {
  const plan::StepT& step = *report.plan.meta->program->steps[number];
  const StepInfo& info = report.steps[number];
  json.begin_object();
  json.field("index", number);
  json.field("kind", plan::EnumNameStepKind(step.kind));
  json.field("name", info.name);
  json.field("operators", info.operators);
  json.field("tactic", info.tactic);
  write_strings(json, "origins", info.origins);
  json.field("operations", info.operations);
  json.field("bytes", info.bytes);
  if (report.plan.debug != nullptr) {
    const plan::DebugStepT& debug = *report.plan.debug->steps[number];
    json.field("vector_bits", debug.vector_bits);
    json.field("code_bytes", debug.code_bytes);
    write_tensors(json, debug);
    if (kernels) json.field("kernel", debug.kernel_text);
  }
  json.end_object();
}

}  // namespace

std::string inspect_json(const PlanReport& report, const InspectOptions& options) {
  const plan::Plan& plan = report.plan;
  const plan::ProgramT& program = *plan.meta->program;
  JsonWriter json;
  json.begin_object();
  json.field("schema", "tenon.inspect/1");
  json.field("tenon", kTenonVersion);
  json.field("plan", plan.name);
  json.field("file_bytes", plan.file.bytes().size());
  json.field("format_major", report.format_major);
  json.field("format_minor", report.format_minor);
  json.field("built_by", plan.meta->tenon_version);
  json.field("kernel_abi", plan.meta->kernel_abi);
  json.field("target", plan.meta->target);
  write_strings(json, "features", plan.meta->features);
  json.field("checked_kernels", plan.meta->checked);
  json.field("debug_information", plan.debug != nullptr);
  json.field("profile", plan.debug == nullptr ? std::string() : plan.debug->profile);
  write_bindings(json, "inputs", report.inputs);
  write_bindings(json, "outputs", report.outputs);
  json.field("arena_bytes", program.arena_bytes);
  json.field("arena_lower_bound_bytes", program.arena_lower_bound);
  json.field("unrewritten_lower_bound_bytes", program.unrewritten_lower_bound);
  json.field("scratch_bytes_per_worker", program.max_scratch);
  json.field("weight_bytes", plan.sections.weights.size());
  json.field("code_bytes", plan.sections.code.size());
  json.begin_array("steps");
  for (size_t s = 0; s < program.steps.size(); ++s) write_step(json, report, s, options.kernels);
  json.end_array();
  if (options.kernels && plan.debug != nullptr) json.field("graph", plan.debug->graph_text);
  json.end_object();
  return json.text();
}

}  // namespace tenon::runtime
