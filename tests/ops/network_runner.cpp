// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/network_runner.h"

#include <fmt/format.h>

#include <map>

namespace tenon::test {

using ops::ReferenceTensor;

Given reals(std::vector<int64_t> dims, std::vector<double> values, DataType type) {
  Given given;
  given.tensor.type = type;
  given.tensor.dims = std::move(dims);
  given.tensor.reals = std::move(values);
  return given;
}

Given integers(std::vector<int64_t> dims, std::vector<int64_t> values, DataType type) {
  Given given;
  given.tensor.type = type;
  given.tensor.dims = std::move(dims);
  given.tensor.integers = std::move(values);
  return given;
}

Given constant(Given given) {
  given.constant = true;
  return given;
}

Given left_out() {
  Given given;
  given.left_out = true;
  return given;
}

Result<std::vector<ReferenceTensor>> run_graph(const ir::Graph& graph,
                                               const std::vector<ReferenceTensor>& inputs) {
  std::map<const ir::Value*, ReferenceTensor> values;
  std::map<std::string, int64_t> symbols;
  const auto lookup = [&](const std::string& name) -> std::optional<int64_t> {
    const auto found = symbols.find(name);
    return found == symbols.end() ? std::nullopt : std::optional(found->second);
  };
  const ir::Region& body = graph.body();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ir::Value* parameter = body.parameter(static_cast<int>(i));
    values[parameter] = inputs[i];
    for (size_t d = 0; d < inputs[i].dims.size(); ++d) {
      if (auto symbol = parameter->type.shape[d].as_symbol()) symbols[*symbol] = inputs[i].dims[d];
    }
  }
  for (const auto& node : body.nodes()) {
    if (node->op() == ir::Node::kReturnOp) break;
    if (node->is_constant()) {
      values[node->output()] = ops::to_reference(*node->tensor("value"));
      continue;
    }
    ops::Operands operands;
    for (const ir::Value* input : node->inputs())
      operands.push_back(input ? &values.at(input) : nullptr);
    ops::Results results;
    for (int i = 0; i < node->output_count(); ++i) {
      const ir::Value* output = node->output(i);
      ReferenceTensor& result = values[output];
      result.type = output->type.type;
      for (const ir::Dim& dim : output->type.shape) {
        const auto size = dim.evaluate(lookup);
        if (!size) return Status(ErrorCode::internal, "no value for dim " + dim.to_string());
        result.dims.push_back(*size);
      }
      results.push_back(&result);
    }
    TENON_RETURN_IF_ERROR(ops::run_reference(*node, operands, results));
  }
  std::vector<ReferenceTensor> results;
  for (const ir::Value* result : body.results()) results.push_back(values.at(result));
  return results;
}

Result<std::vector<ReferenceTensor>> run_node(const std::string& op_type, int64_t opset,
                                              const std::vector<Given>& inputs,
                                              Attributes attributes, int output_count) {
  Network network("case");
  NodeDescription node;
  node.op_type = op_type;
  node.opset = opset;
  node.attributes = std::move(attributes);
  std::vector<ReferenceTensor> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Given& given = inputs[i];
    if (given.left_out) {
      node.inputs.emplace_back();
      continue;
    }
    const std::string name = fmt::format("x{}", i);
    const TensorData data = ops::to_tensor_data(given.tensor);
    if (given.constant) {
      TENON_ASSIGN(const NetworkTensor tensor, network.add_constant(name, data));
      node.inputs.push_back(tensor);
      continue;
    }
    const std::vector<InputDim> dims(data.dims.begin(), data.dims.end());
    TENON_ASSIGN(const NetworkTensor tensor, network.add_input(name, data.type, dims));
    node.inputs.push_back(tensor);
    operands.push_back(ops::to_reference(data));
  }
  for (int i = 0; i < output_count; ++i) node.output_names.push_back(fmt::format("y{}", i));
  TENON_ASSIGN(const auto outputs, network.add_node(node));
  for (int i = 0; i < output_count; ++i) {
    TENON_RETURN_IF_ERROR(network.mark_output(node.output_names[i], outputs[i]));
  }
  TENON_RETURN_IF_ERROR(ops::verify_operators(network.graph()));
  return run_graph(network.graph(), operands);
}

}  // namespace tenon::test
