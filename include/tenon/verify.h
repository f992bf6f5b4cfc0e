// SPDX-License-Identifier: Apache-2.0
// Compares a plan, as fused, with the plain reference of the model.
#pragma once

#include <tenon/network.h>
#include <tenon/runtime.h>
#include <tenon/status.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tenon {

/// One tensor that the plan computed, against the reference.
struct TensorComparison {
  std::string tensor;                 ///< the ONNX tensor
  std::vector<std::string> origins;   ///< the ONNX nodes of the step that wrote it
  double relative_l2 = 0;             ///< |plan - reference| / |reference|
  double max_absolute = 0;
  bool has_nan = false;               ///< NaN where the reference has none
  bool passed = true;
};

struct VerifyOptions {
  /// Row-major bytes by input name; absent inputs are seeded random values.
  std::map<std::string, TensorData> inputs;
  uint64_t seed = 1;
  double relative_l2_limit = 1e-3;
  /// Called for each tensor as it is compared, in the plan's order.
  std::function<void(const TensorComparison&)> on_tensor;
};

struct VerifyReport {
  int64_t compared = 0, failed = 0;
  std::vector<TensorComparison> failures;   ///< first bad one first
  std::vector<TensorComparison> outputs;
};

/// Reproducible values for an input without data: normal for floats, 0 to 3 for integers, 0 or 1 for bool.
Result<TensorData> random_tensor(DataType type, const std::vector<int64_t>& dims, uint64_t seed);

/// Runs `engine` and, tensor by tensor, the reference of `network` on the same inputs.
Result<VerifyReport> verify_plan(const Network& network, const Engine& engine,
                                 const VerifyOptions& options = {});

}  // namespace tenon
