// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/logger.h>
#include <tenon/network.h>
#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tenon {

/// Something of a model that Tenon cannot take, with everything a user needs to find it.
struct ModelProblem {
  int64_t node_index = -1;   ///< -1: not about one node
  std::string node_name;
  std::string op_type;       ///< "Conv-11", "com.acme::MyNms-1"
  Status reason;
};

/// What `parse_onnx` saw, for reports.
struct ModelSummary {
  int64_t ir_version = 0;
  std::vector<std::pair<std::string, int64_t>> opsets;
  int64_t node_count = 0;
  std::map<std::string, int64_t> operators;   ///< ONNX operator -> how many nodes
  int64_t parameter_count = 0;
  int64_t parameter_bytes = 0;
};

struct ParserOptions {
  Logger logger;
  ModelSummary* summary = nullptr;               ///< filled when given
  std::vector<ModelProblem>* problems = nullptr; ///< filled with every problem when given
};

/// Reads a model file. Opsets 7 and up of ai.onnx. The file and its external data are mapped: weights
/// are not copied, and the network keeps the mappings alive. The error lists all problems at once.
Result<Network> parse_onnx(const std::string& path, const ParserOptions& options = {});

/// The same from memory, which must outlive the network; external data is refused.
Result<Network> parse_onnx(std::span<const std::byte> model, const ParserOptions& options = {});

}  // namespace tenon
