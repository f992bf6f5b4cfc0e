// SPDX-License-Identifier: Apache-2.0
// Runs graphs in the two ways that need no generated code.
#pragma once

#include "builder/emit/step.h"
#include "builder/ir/graph.h"
#include "builder/ops/op.h"

#include <tenon/status.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tenon::testing_support {

using Inputs = std::map<std::string, TensorData>;
using Outputs = std::vector<ops::ReferenceTensor>;

/// Seeded inputs of moderate size for the parameters of `graph`, with symbols of these values.
Inputs random_inputs(const ir::Graph& graph, const std::map<std::string, int64_t>& symbols,
                     uint32_t seed);

/// By the references of the operators.
Result<Outputs> run_by_reference(const ir::Graph& graph, const Inputs& inputs);

/// The steps of a graph with their kernels as scheduled for any processor with AVX2, without code.
Result<emit::StepList> lowered_steps(const ir::Graph& graph);

/// By the kernels of the steps, interpreted in the memory that emission plans: views share it, and
/// results overwrite what they may.
Result<Outputs> run_by_kernels(const ir::Graph& graph, const Inputs& inputs);

/// Where the first difference beyond the tolerance of the element types is; empty when there is
/// none.
std::string difference(const Outputs& actual, const Outputs& expected);

}  // namespace tenon::testing_support
