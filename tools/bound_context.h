// SPDX-License-Identifier: Apache-2.0
// A context with memory for all its inputs and outputs.
#pragma once

#include "tools/shape_argument.h"
#include "tools/tensor_file.h"

#include <tenon/runtime.h>

#include <cstddef>
#include <vector>

namespace tenon::tools {

/// Inputs of `engine`: those given, and seeded random values of the shape in `shapes` (else the
/// shape the plan was tuned for) for the others, whose names go to `random_names`.
Result<Tensors> complete_inputs(const Engine& engine, Tensors given, const Shapes& shapes,
                                uint64_t seed, std::vector<std::string>* random_names);

class BoundContext {
 public:
  /// Binds `inputs`, which it keeps alive, and makes room for the outputs.
  static Result<BoundContext> create(const Engine& engine, const Tensors& inputs);

  Context& context() { return context_; }
  Status run() { return context_.run(); }
  /// By name, in the plan's order.
  const std::vector<std::pair<std::string, TensorData>>& outputs() const { return outputs_; }

 private:
  explicit BoundContext(Context context) : context_(std::move(context)) {}
  Context context_;
  Tensors inputs_;
  std::vector<std::pair<std::string, TensorData>> outputs_;
};

}  // namespace tenon::tools
