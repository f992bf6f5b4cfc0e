// SPDX-License-Identifier: Apache-2.0
// What an Engine holds.
#pragma once

#include <tenon/runtime.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/cpu/code_loader.h"
#include "runtime/plan/plan.h"

namespace tenon {

struct [[gnu::visibility("hidden")]] Engine::Implementation {
  plan::Plan plan;
  runtime::LoadedCode code;
  std::shared_ptr<Executor> executor;
  uint32_t workers = 1;
  std::vector<BindingInfo> inputs, outputs;
  std::vector<StepInfo> steps;
  std::string target;

  const plan::ProgramT& program() const { return *plan.meta->program; }
  /// "step "conv_4" (Conv_4, Relu_5)".
  std::string describe_step(size_t step) const;
};

namespace runtime {

/// Inputs, outputs and steps of a verified plan, as the public headers show them.
std::vector<BindingInfo> describe_bindings(const plan::ProgramT& program, bool inputs);
std::vector<StepInfo> describe_steps(const plan::Plan& plan);
/// "cpu:znver5 (+avx2,+fma)".
std::string describe_target(const plan::MetaT& meta);
/// "f32[1,3,H,W]".
std::string tensor_text(DataType type, const std::vector<std::string>& dims);
std::vector<std::string> dim_texts(std::span<const int64_t> dims);

}  // namespace runtime
}  // namespace tenon
