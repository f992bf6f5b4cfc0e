// SPDX-License-Identifier: Apache-2.0
// Adds the graph nodes of one ONNX node to a graph.
#pragma once

#include "builder/ops/op.h"

namespace tenon {

class NetworkImporter final : public ops::Importer {
 public:
  NetworkImporter(ir::Graph& graph, std::string origin)
      : graph_(graph), origin_(std::move(origin)) {}

  Result<std::vector<ir::Value*>> node(const std::string& op, const std::vector<ir::Value*>& inputs,
                                       Attributes attributes, int output_count) override;
  ir::Value* constant(TensorData data) override;
  /// Takes back all nodes made so far.
  void undo();

 private:
  ir::Graph& graph_;
  std::string origin_;
  std::vector<ir::Node*> made_;
};

}  // namespace tenon
