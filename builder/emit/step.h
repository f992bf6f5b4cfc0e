// SPDX-License-Identifier: Apache-2.0
// Steps between lowering and emission: nodes with their kernels, schedules and code.
#pragma once

#include "builder/codegen/cpu/generate.h"
#include "builder/ir/graph.h"
#include "builder/loop/kernel.h"
#include "builder/loop/schedule.h"

#include <string>
#include <vector>

namespace tenon::emit {

/// One kernel call. Argument i of the call is buffer i of the kernel.
struct Step {
  const ir::Node* node = nullptr;
  std::vector<const ir::Value*> arguments;   ///< the node's inputs, then its outputs
  loop::Kernel kernel;                       ///< as scheduled
  std::vector<ir::TensorType> storage;       ///< how each argument lies in memory
  loop::Schedule schedule;
  size_t code = 0;                           ///< number of its code in StepList::codes
  std::string operators;                     ///< "conv+relu"
};

/// A graph as steps in the order in which they run. Equal kernels share their code.
struct StepList {
  std::vector<Step> steps;
  std::vector<codegen::GeneratedKernel> codes;
};

}  // namespace tenon::emit
