// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/fold_constants.h"

#include "builder/ir/constant.h"
#include "builder/ops/op.h"

#include <optional>

namespace tenon::passes {
namespace {

/// A constant may be computed at build when it is small, or not much larger than what it comes from.
constexpr int64_t kSmallBytes = 1 << 20;
constexpr int64_t kGrowth = 4;

bool worth_storing(const ir::Node& node) {
  int64_t inputs = 0;
  for (const ir::Value* input : node.inputs()) {
    if (const TensorData* data = input ? ir::Graph::constant_of(input) : nullptr) {
      inputs += static_cast<int64_t>(data->bytes.size());
    }
  }
  for (int i = 0; i < node.output_count(); ++i) {
    const ir::TensorType& type = node.output(i)->type;
    if (!ir::is_static(type.shape)) return false;
    const int64_t bytes = byte_size(type.type, ir::element_count(type.shape).constant());
    if (bytes > kSmallBytes && bytes > kGrowth * inputs) return false;
  }
  return true;
}

bool has_constant_inputs(const ir::Node& node) {
  for (const ir::Value* input : node.inputs()) {
    if (input && !ir::Graph::constant_of(input)) return false;
  }
  return true;
}

/// Elements of a shape computation that are all numbers, as a constant.
std::optional<TensorData> known_constant(const ir::Value& value) {
  if (!value.known_elements || !ir::is_static(value.type.shape)) return std::nullopt;
  ops::ReferenceTensor tensor;
  tensor.type = value.type.type;
  tensor.dims = ir::static_dims(value.type.shape);
  for (const ir::Dim& element : *value.known_elements) {
    if (!element.is_constant()) return std::nullopt;
    tensor.integers.push_back(element.constant());
  }
  if (is_float(tensor.type) || tensor.count() != static_cast<int64_t>(tensor.integers.size())) {
    return std::nullopt;
  }
  return ops::to_tensor_data(tensor);
}

Result<std::vector<TensorData>> evaluate(const ir::Node& node) {
  // A view keeps the bytes, which may be a mapped file.
  if (ops::find(node.op())->is_view) {
    TensorData data = *ir::Graph::constant_of(node.input(0));
    data.dims = ir::static_dims(node.output()->type.shape);
    return std::vector<TensorData>{data};
  }
  std::vector<ops::ReferenceTensor> operands, results(node.output_count());
  operands.reserve(node.input_count());
  ops::Operands operand_pointers;
  for (const ir::Value* input : node.inputs()) {
    operands.push_back(input ? ops::to_reference(*ir::Graph::constant_of(input))
                             : ops::ReferenceTensor());
    operand_pointers.push_back(input ? &operands.back() : nullptr);
  }
  ops::Results result_pointers;
  for (int i = 0; i < node.output_count(); ++i) {
    results[i].type = node.output(i)->type.type;
    results[i].dims = ir::static_dims(node.output(i)->type.shape);
    const int64_t count = results[i].count();
    if (is_float(results[i].type)) results[i].reals.resize(count);
    if (!is_float(results[i].type)) results[i].integers.resize(count);
    result_pointers.push_back(&results[i]);
  }
  TENON_RETURN_IF_ERROR(ops::run_reference(node, operand_pointers, result_pointers));
  std::vector<TensorData> data;
  for (const ops::ReferenceTensor& result : results) data.push_back(ops::to_tensor_data(result));
  return data;
}

}  // namespace

Result<bool> fold_constants(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() == ir::Node::kReturnOp || node->is_constant() || !node->regions().empty()) continue;
    std::vector<TensorData> folded;
    if (node->output_count() == 1 && known_constant(*node->output())) {
      folded.push_back(*known_constant(*node->output()));
    } else if (!has_constant_inputs(*node) || !worth_storing(*node)) {
      continue;
    }
    if (!context.allow_rewrite()) return changed;
    if (folded.empty()) {
      TENON_ASSIGN(folded, evaluate(*node));
    }
    for (int i = 0; i < node->output_count(); ++i) {
      ir::Value* constant = ir::Graph::add_constant(*node->parent(), std::move(folded[i]), "", node);
      constant->known_elements = node->output(i)->known_elements;
      ir::Graph::replace_all_uses(node->output(i), constant);
    }
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
