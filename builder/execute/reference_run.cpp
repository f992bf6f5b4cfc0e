// SPDX-License-Identifier: Apache-2.0
#include "builder/execute/reference_run.h"

#include "builder/ir/constant.h"

#include <fmt/format.h>

namespace tenon {
namespace {

std::string dims_text(const std::vector<int64_t>& dims) {
  return fmt::format("[{}]", fmt::join(dims, ","));
}

std::string node_text(const ir::Node& node) {
  return node.origins.empty()
             ? fmt::format("operator {}", node.op())
             : fmt::format("node {} ({})", fmt::join(node.origins, ", "), node.op());
}

std::optional<int64_t> lookup(const std::map<std::string, int64_t>& symbols,
                              const std::string& name) {
  const auto found = symbols.find(name);
  return found == symbols.end() ? std::nullopt : std::optional(found->second);
}

/// Gives bare symbols of an input's shape their sizes.
Status bind_symbols(const ir::Value& parameter, const TensorData& tensor,
                    std::map<std::string, int64_t>& symbols) {
  const ir::Shape& shape = parameter.type.shape;
  if (tensor.type != parameter.type.type || tensor.dims.size() != shape.size()) {
    return Status(
        ErrorCode::bad_argument,
        fmt::format("input \"{}\": got {}{}; the model takes {}", parameter.name,
                    to_string(tensor.type), dims_text(tensor.dims), ir::to_string(parameter.type)));
  }
  if (ir::element_count(tensor.dims).value_or(-1) < 0 ||
      static_cast<int64_t>(tensor.bytes.size()) !=
          byte_size(tensor.type, *ir::element_count(tensor.dims))) {
    return Status(ErrorCode::bad_argument,
                  fmt::format("input \"{}\": {} bytes do not fit {}{}", parameter.name,
                              tensor.bytes.size(), to_string(tensor.type), dims_text(tensor.dims)));
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (const auto name = shape[axis].as_symbol()) symbols.emplace(*name, tensor.dims[axis]);
  }
  return {};
}

Status check_dims(const ir::Value& parameter, const TensorData& tensor,
                  const std::map<std::string, int64_t>& symbols) {
  for (size_t axis = 0; axis < parameter.type.shape.size(); ++axis) {
    const ir::Dim& dim = parameter.type.shape[axis];
    const auto expected =
        dim.evaluate([&](const std::string& name) { return lookup(symbols, name); });
    if (expected != tensor.dims[axis]) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("input \"{}\": axis {} is {}; the model needs {} = {}",
                                parameter.name, axis, tensor.dims[axis], dim.to_string(),
                                expected ? std::to_string(*expected)
                                         : "a value that the inputs do not give"));
    }
  }
  return {};
}

}  // namespace

Result<ReferenceRun> ReferenceRun::start(const ir::Graph& graph,
                                         const std::map<std::string, TensorData>& inputs) {
  ReferenceRun run;
  run.graph_ = &graph;
  const auto& parameters = graph.body().parameters();
  for (const auto& parameter : parameters) {
    const auto tensor = inputs.find(parameter->name);
    if (tensor == inputs.end()) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("input \"{}\" has no data", parameter->name));
    }
    TENON_RETURN_IF_ERROR(bind_symbols(*parameter, tensor->second, run.symbols_));
  }
  for (const auto& parameter : parameters) {
    const TensorData& tensor = inputs.at(parameter->name);
    TENON_RETURN_IF_ERROR(check_dims(*parameter, tensor, run.symbols_));
    run.tensors_[parameter.get()] =
        std::make_shared<ops::ReferenceTensor>(ops::to_reference(tensor));
  }
  for (const auto& node : graph.body().nodes()) {
    for (const ir::Value* input : node->inputs()) {
      if (input != nullptr) ++run.uses_[input];
    }
    if (!node->is_constant() && node.get() != graph.body().terminator())
      run.nodes_.push_back(node.get());
  }
  return run;
}

Status ReferenceRun::step(const ReferenceCallback& callback) {
  const ir::Node& node = *nodes_[next_++];
  TENON_RETURN_IF_ERROR(run_node(node, tensors_, callback));
  release(node, tensors_, uses_);
  return {};
}

Status ReferenceRun::finish(const ReferenceCallback& callback) {
  while (!done()) TENON_RETURN_IF_ERROR(step(callback));
  return {};
}

Result<ops::ReferenceTensor> ReferenceRun::output(int index) const {
  const Tensor tensor = find(graph_->body().results()[static_cast<size_t>(index)], tensors_);
  if (!tensor)
    return Status(ErrorCode::internal,
                  fmt::format("output {} of the reference is not computed", index));
  return *tensor;
}

void ReferenceRun::release(const ir::Node& node, Tensors& tensors,
                           std::map<const ir::Value*, size_t>& uses) {
  for (const ir::Value* input : node.inputs()) {
    if (input != nullptr && --uses[input] == 0) tensors.erase(input);
  }
  for (int i = 0; i < node.output_count(); ++i) {
    if (uses.count(node.output(i)) == 0) tensors.erase(node.output(i));
  }
}

ReferenceRun::Tensor ReferenceRun::find(const ir::Value* value, const Tensors& tensors) {
  const auto found = tensors.find(value);
  if (found != tensors.end()) return found->second;
  const TensorData* constant = ir::Graph::constant_of(value);
  return constant == nullptr ? nullptr
                             : std::make_shared<ops::ReferenceTensor>(ops::to_reference(*constant));
}

Result<ops::ReferenceTensor> ReferenceRun::make_result(const ir::Node& node,
                                                       const ir::Value& value) const {
  ops::ReferenceTensor result;
  result.type = value.type.type;
  for (const ir::Dim& dim : value.type.shape) {
    const auto size = dim.evaluate([&](const std::string& name) { return lookup(symbols_, name); });
    if (!size) {
      return Status(ErrorCode::unsupported,
                    fmt::format("not supported yet: {} gives the size {}, which depends on data",
                                node_text(node), dim.to_string()));
    }
    result.dims.push_back(*size);
  }
  const std::optional<int64_t> count = ir::element_count(result.dims);
  if (!count) {
    return Status(ErrorCode::bad_argument,
                  fmt::format("{}: its result of {} does not fit these inputs", node_text(node),
                              dims_text(result.dims)));
  }
  if (is_float(result.type)) {
    result.reals.resize(static_cast<size_t>(*count));
  } else {
    result.integers.resize(static_cast<size_t>(*count));
  }
  return result;
}

Status ReferenceRun::run_node(const ir::Node& node, Tensors& tensors,
                              const ReferenceCallback& callback) const {
  if (node.op() == ir::Node::kGroupOp) return run_group(node, tensors, callback);
  std::vector<Tensor> kept;
  ops::Operands operands;
  for (const ir::Value* input : node.inputs()) {
    kept.push_back(input == nullptr ? nullptr : find(input, tensors));
    if (input != nullptr && !kept.back()) {
      return Status(ErrorCode::internal,
                    fmt::format("{}: an operand is not computed", node_text(node)));
    }
    operands.push_back(kept.back().get());
  }
  std::vector<std::shared_ptr<ops::ReferenceTensor>> made;
  ops::Results results;
  for (int i = 0; i < node.output_count(); ++i) {
    TENON_ASSIGN(ops::ReferenceTensor result, make_result(node, *node.output(i)));
    made.push_back(std::make_shared<ops::ReferenceTensor>(std::move(result)));
    results.push_back(made.back().get());
  }
  TENON_RETURN_IF_ERROR(ops::run_reference(node, operands, results).with_context(node_text(node)));
  for (int i = 0; i < node.output_count(); ++i) {
    if (callback) callback(*node.output(i), *made[static_cast<size_t>(i)]);
    tensors[node.output(i)] = made[static_cast<size_t>(i)];
  }
  return {};
}

Status ReferenceRun::run_group(const ir::Node& node, Tensors& tensors,
                               const ReferenceCallback& callback) const {
  const ir::Region& region = *node.regions().front();
  Tensors inner;
  for (size_t i = 0; i < region.parameters().size(); ++i) {
    inner[region.parameters()[i].get()] = find(node.input(static_cast<int>(i)), tensors);
  }
  std::map<const ir::Value*, size_t> uses;
  for (const auto& member : region.nodes()) {
    for (const ir::Value* input : member->inputs()) {
      if (input != nullptr) ++uses[input];
    }
  }
  for (const auto& member : region.nodes()) {
    if (member->is_constant() || member.get() == region.terminator()) continue;
    TENON_RETURN_IF_ERROR(run_node(*member, inner, callback));
    release(*member, inner, uses);
  }
  for (int i = 0; i < node.output_count(); ++i) {
    tensors[node.output(i)] = find(region.results()[static_cast<size_t>(i)], inner);
  }
  return {};
}

}  // namespace tenon
