// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/graph.h"
#include "builder/ir/text.h"
#include "builder/network_importer.h"
#include "builder/ops/op.h"

#include <fmt/format.h>
#include <tenon/network.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace tenon {
namespace {

constexpr int64_t kNewestOpset = 25;

/// Names of dims in models are free text; symbols are identifiers.
std::string identifier(const std::string& name) {
  std::string result;
  for (const char c : name) {
    result += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  }
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result = "d" + result;
  return result;
}

Status check_tensor(const TensorData& data) {
  TENON_RETURN_IF_ERROR(ir::check_rank(data.dims.size()));
  int64_t count = 1;
  for (const int64_t dim : data.dims) {
    if (dim < 0) return Status(ErrorCode::invalid_model, "has a negative dim");
    // Byte counts must not overflow either, at up to 8 bytes an element.
    if (dim != 0 && count > std::numeric_limits<int64_t>::max() / 64 / dim) {
      return Status(ErrorCode::invalid_model, "has more elements than an address space");
    }
    count *= dim;
  }
  const int64_t wanted = byte_size(data.type, count);
  if (static_cast<int64_t>(data.bytes.size()) != wanted) {
    return Status(ErrorCode::invalid_model,
                  fmt::format("{}[{}] takes {} bytes, but {} are given", to_string(data.type),
                              fmt::join(data.dims, ","), wanted, data.bytes.size()));
  }
  return {};
}

/// `node 12 "conv1" Conv-11`
std::string describe(const NodeDescription& node) {
  std::string text = "node";
  if (node.index >= 0) text += fmt::format(" {}", node.index);
  if (!node.name.empty()) text += fmt::format(" \"{}\"", node.name);
  text += fmt::format(" {}-{}", node.op_type, node.opset);
  if (!node.domain.empty() && node.domain != "ai.onnx") text += fmt::format(" ({})", node.domain);
  return text;
}

}  // namespace

struct Network::Implementation {
  explicit Implementation(std::string name) : graph(std::move(name)) {}
  ir::Graph graph;
  std::vector<ir::Value*> tensors;                  // by NetworkTensor
  std::map<std::string, std::string> symbol_names;  // of a dim's name in the model
  int64_t added_nodes = 0;

  std::string symbol(const std::string& name) {
    const auto known = symbol_names.find(name);
    if (known != symbol_names.end()) return known->second;
    std::string symbol = identifier(name);
    if (graph.symbols.contains(symbol)) symbol = graph.fresh_symbol(symbol);
    graph.symbols[symbol] = {};
    symbol_names[name] = symbol;
    return symbol;
  }
};

Network::Network(std::string name)
    : implementation_(std::make_unique<Implementation>(std::move(name))) {}
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

Result<NetworkTensor> Network::add_input(const std::string& name, DataType type,
                                         const std::vector<InputDim>& dims) {
  TENON_RETURN_IF_ERROR(ir::check_rank(dims.size()).with_context(fmt::format("input \"{}\"", name)));
  auto& self = *implementation_;
  for (const auto& parameter : self.graph.body().parameters()) {
    if (parameter->name == name) {
      return Status(ErrorCode::invalid_model, fmt::format("input \"{}\" is given twice", name));
    }
  }
  ir::TensorType tensor{type, {}, {}};
  for (const auto& dim : dims) {
    if (const auto* size = std::get_if<int64_t>(&dim)) {
      if (*size < 0) {
        return Status(
            ErrorCode::invalid_model,
            fmt::format("input \"{}\" has the negative dim {}; name a symbol for a size that "
                        "varies",
                        name, *size));
      }
      tensor.shape.emplace_back(*size);
    } else {
      tensor.shape.push_back(ir::Dim::symbol(self.symbol(std::get<std::string>(dim))));
    }
  }
  TENON_RETURN_IF_ERROR(ir::check_size(tensor).with_context(fmt::format("input \"{}\"", name)));
  self.tensors.push_back(self.graph.body().add_parameter(std::move(tensor), name));
  NetworkTensor result;
  result.id_ = static_cast<int64_t>(self.tensors.size()) - 1;
  return result;
}

Result<NetworkTensor> Network::add_constant(const std::string& name, TensorData data) {
  auto& self = *implementation_;
  TENON_RETURN_IF_ERROR(check_tensor(data).with_context(fmt::format("constant \"{}\"", name)));
  self.tensors.push_back(ir::Graph::add_constant(self.graph.body(), std::move(data), name,
                                                 self.graph.body().terminator()));
  NetworkTensor result;
  result.id_ = static_cast<int64_t>(self.tensors.size()) - 1;
  return result;
}

Result<std::vector<NetworkTensor>> Network::add_node(const NodeDescription& given) {
  auto& self = *implementation_;
  NodeDescription node = given;
  if (node.opset == 0) node.opset = kNewestOpset;
  const int64_t number = node.index >= 0 ? node.index : self.added_nodes;
  ++self.added_nodes;
  const std::string context = describe(node);

  ops::NodeView view{node, {}, std::max<int>(1, static_cast<int>(node.output_names.size()))};
  for (const NetworkTensor input : node.inputs) {
    if (!input.empty() && input.id_ >= static_cast<int64_t>(self.tensors.size())) {
      return Status(ErrorCode::bad_argument, context + ": an input is a tensor of another network");
    }
    view.inputs.push_back(input.empty() ? nullptr : self.tensors[input.id_]);
  }
  while (!view.inputs.empty() && !view.inputs.back()) view.inputs.pop_back();
  for (const auto& [name, value] : node.attributes) {
    if (const auto* tensor = std::get_if<TensorData>(&value)) {
      TENON_RETURN_IF_ERROR(
          check_tensor(*tensor).with_context(fmt::format("{}: attribute \"{}\"", context, name)));
    }
  }

  auto import = ops::find_import(node.domain, node.op_type, node.opset);
  if (!import.ok()) return import.status().with_context(context);
  NetworkImporter importer(
      self.graph, node.name.empty() ? fmt::format("{}_{}", node.op_type, number) : node.name);
  auto outputs = (**import)(view, importer);
  Status status = outputs.status();
  if (!view.mismatched.empty()) {
    status = Status(ErrorCode::invalid_model,
                    fmt::format("attribute \"{}\" is of the wrong kind", view.mismatched));
  }
  if (status.ok() && outputs->size() < node.output_names.size()) {
    status = Status(ErrorCode::invalid_model, fmt::format("has {} outputs, not {}", outputs->size(),
                                                          node.output_names.size()));
  }
  if (!status.ok()) {
    importer.undo();
    return status.with_context(context);
  }
  std::vector<NetworkTensor> results(node.output_names.size());
  for (size_t i = 0; i < results.size(); ++i) {
    ir::Value* value = (*outputs)[i];
    if (value->name.empty()) value->name = node.output_names[i];
    self.tensors.push_back(value);
    results[i].id_ = static_cast<int64_t>(self.tensors.size()) - 1;
  }
  return results;
}

Status Network::mark_output(const std::string& name, NetworkTensor tensor) {
  auto& self = *implementation_;
  if (tensor.empty() || tensor.id_ >= static_cast<int64_t>(self.tensors.size())) {
    return Status(ErrorCode::bad_argument,
                  fmt::format("output \"{}\": no tensor of this network is given", name));
  }
  auto& names = self.graph.output_names;
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return Status(ErrorCode::invalid_model, fmt::format("output \"{}\" is given twice", name));
  }
  auto results = self.graph.body().results();
  results.push_back(self.tensors[tensor.id_]);
  self.graph.body().set_results(results);
  names.push_back(name);
  return {};
}

std::string Network::to_text() const { return ir::print(implementation_->graph); }
ir::Graph& Network::graph() { return implementation_->graph; }
const ir::Graph& Network::graph() const { return implementation_->graph; }

}  // namespace tenon
