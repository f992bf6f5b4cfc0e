// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine_implementation.h"
#include "runtime/shape_program.h"

namespace tenon {
namespace runtime {

std::vector<BindingInfo> describe_bindings(const plan::ProgramT& program, bool inputs) {
  std::vector<Interval> ranges;
  std::vector<int64_t> optimum, values(program.dim_program.size());
  for (const auto& symbol : program.symbols) {
    ranges.push_back({symbol->minimum, symbol->maximum});
    optimum.push_back(symbol->optimum);
  }
  const std::vector<Interval> bounds = bound_dims(program.dim_program, ranges);
  // A dim that is undefined at the optimum was reported by the builder; here it reads as 0.
  if (!evaluate_dims(program.dim_program, optimum, values).ok()) values.assign(values.size(), 0);
  std::vector<BindingInfo> infos;
  for (const auto& binding : inputs ? program.inputs : program.outputs) {
    BindingInfo info;
    info.name = binding->name;
    info.type = static_cast<DataType>(binding->type);
    for (size_t i = 0; i < binding->dims.size(); ++i) {
      const uint32_t dim = binding->dims[i];
      info.dims.push_back({binding->dim_text[i], std::max<int64_t>(0, bounds[dim].minimum),
                           values[dim], bounds[dim].maximum});
    }
    infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<StepInfo> describe_steps(const plan::Plan& plan) {
  const auto& steps = plan.meta->program->steps;
  std::vector<StepInfo> infos(steps.size());
  for (size_t s = 0; s < steps.size(); ++s) {
    StepInfo& info = infos[s];
    if (plan.debug == nullptr) {
      info.name = "step " + std::to_string(s);
      continue;
    }
    const plan::DebugStepT& debug = *plan.debug->steps[s];
    info.name = debug.name;
    info.origins = debug.origins;
    info.operators = debug.operators;
    info.tactic = debug.tactic;
    info.operations = debug.operations;
    info.bytes = debug.bytes;
  }
  return infos;
}

std::string describe_target(const plan::MetaT& meta) {
  std::string text = meta.target;
  for (const std::string& feature : meta.features) {
    text += (&feature == &meta.features.front() ? " (+" : ",+") + feature;
  }
  return meta.features.empty() ? text : text + ")";
}

std::string tensor_text(DataType type, const std::vector<std::string>& dims) {
  std::string text = std::string(to_string(type)) + "[";
  for (size_t i = 0; i < dims.size(); ++i) text += (i > 0 ? "," : "") + dims[i];
  return text + "]";
}

std::vector<std::string> dim_texts(std::span<const int64_t> dims) {
  std::vector<std::string> texts;
  for (const int64_t dim : dims) texts.push_back(std::to_string(dim));
  return texts;
}

}  // namespace runtime

std::string Engine::Implementation::describe_step(size_t step) const {
  const StepInfo& info = steps[step];
  std::string text = plan.debug == nullptr ? info.name : "step \"" + info.name + "\"";
  for (const std::string& origin : info.origins) {
    text += (&origin == &info.origins.front() ? " (" : ", ") + origin;
  }
  return info.origins.empty() ? text : text + ")";
}

}  // namespace tenon
