// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/codegen/cpu/target.h"
#include "builder/emit/step.h"
#include "builder/ir/graph.h"

#include <tenon/builder.h>
#include <tenon/status.h>

namespace tenon {

/// Lowers every node and group of the graph that is no constant and no view to a kernel, chooses its
/// schedule and generates its code, on all processors. Equal kernels are generated once.
Result<emit::StepList> compile_steps(const ir::Graph& graph, const codegen::Target& target,
                                     const BuildOptions& options);

}  // namespace tenon
