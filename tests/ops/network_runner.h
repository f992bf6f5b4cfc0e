// SPDX-License-Identifier: Apache-2.0
// Imports single ONNX nodes and runs networks by the reference.
#pragma once

#include "builder/ops/op.h"

#include <tenon/network.h>

#include <string>
#include <vector>

namespace tenon::test {

/// A tensor of a case: given to the node as an input of the network, or as a constant.
struct Given {
  ops::ReferenceTensor tensor;
  bool constant = false;
  bool left_out = false;
};
Given reals(std::vector<int64_t> dims, std::vector<double> values, DataType type = DataType::f32);
Given integers(std::vector<int64_t> dims, std::vector<int64_t> values,
               DataType type = DataType::i64);
Given constant(Given given);
Given left_out();

/// Adds the node to a network of its own, runs the reference, gives the outputs.
Result<std::vector<ops::ReferenceTensor>> run_node(const std::string& op_type, int64_t opset,
                                                   const std::vector<Given>& inputs,
                                                   Attributes attributes = {},
                                                   int output_count = 1);

/// Values of all results of a graph with static shapes or sizes for its symbols.
Result<std::vector<ops::ReferenceTensor>> run_graph(
    const ir::Graph& graph, const std::vector<ops::ReferenceTensor>& inputs);

}  // namespace tenon::test
