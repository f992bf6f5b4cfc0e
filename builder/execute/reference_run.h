// SPDX-License-Identifier: Apache-2.0
// Runs a graph by the references of its operators: the oracle that plans are compared with.
#pragma once

#include "builder/ir/graph.h"
#include "builder/ops/op.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon {

/// Called for each value as it is computed, parameters and constants excluded.
using ReferenceCallback = std::function<void(const ir::Value&, const ops::ReferenceTensor&)>;

/// A run that goes node by node, so that its user decides how far it is ahead of another run. A
/// tensor lives from the node that makes it to its last use; a constant only while a node reads it.
class ReferenceRun {
 public:
  /// `inputs` by name of the graph's parameters; their dims give the symbols their values.
  static Result<ReferenceRun> start(const ir::Graph& graph,
                                    const std::map<std::string, TensorData>& inputs);

  bool done() const { return next_ == nodes_.size(); }
  /// Runs one node. Groups run their region, for which the callback is called too.
  Status step(const ReferenceCallback& callback);
  /// Runs what is left.
  Status finish(const ReferenceCallback& callback);
  /// An output of the graph, when done.
  Result<ops::ReferenceTensor> output(int index) const;

 private:
  using Tensor = std::shared_ptr<const ops::ReferenceTensor>;
  using Tensors = std::map<const ir::Value*, Tensor>;

  ReferenceRun() = default;
  Status run_node(const ir::Node& node, Tensors& tensors, const ReferenceCallback& callback) const;
  Status run_group(const ir::Node& node, Tensors& tensors, const ReferenceCallback& callback) const;
  Result<ops::ReferenceTensor> make_result(const ir::Node& node, const ir::Value& value) const;
  static Tensor find(const ir::Value* value, const Tensors& tensors);
  static void release(const ir::Node& node, Tensors& tensors,
                      std::map<const ir::Value*, size_t>& uses);

  const ir::Graph* graph_ = nullptr;
  std::map<std::string, int64_t> symbols_;
  std::vector<const ir::Node*> nodes_;
  size_t next_ = 0;
  Tensors tensors_;
  std::map<const ir::Value*, size_t> uses_;  // of each value, by nodes that have not run yet
};

}  // namespace tenon
