// SPDX-License-Identifier: Apache-2.0
#include "parser/flatten.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tenon::parser {
namespace {

using tenon_onnx::AttributeProto;
using tenon_onnx::FunctionProto;
using tenon_onnx::NodeProto;

using FunctionKey = std::tuple<std::string, std::string, std::string>;  // domain, name, overload

/// Functions that call functions can double at every level, and each level makes names longer.
/// About the bytes that a node of a function takes, and what all may take: a quarter of a million
/// nodes.
constexpr size_t kNodeCost = 1024;
constexpr size_t kMaximumCost = size_t{1} << 28;
constexpr size_t kMaximumCallDepth = 100;
constexpr int64_t kOldestOpset = 7;

Status invalid(std::string message) { return Status(ErrorCode::invalid_model, std::move(message)); }

/// What names mean in the graph or in one call of a function.
struct Scope {
  const FunctionProto* function = nullptr;  ///< null in the graph
  const Scope* caller = nullptr;
  std::string prefix;  ///< of names inside the call, "/call"; "" in the graph
  int64_t index = -1;  ///< of the call in the file
  Opsets opsets;
  std::map<std::string, std::string> values;  ///< name in the function -> in the model
  std::map<std::string, const AttributeProto*> attributes;  ///< arguments and defaults

  size_t depth() const { return caller ? caller->depth() + 1 : 0; }
  bool is_inside(const FunctionProto* other) const {
    return function == other || (caller && caller->is_inside(other));
  }
};

class Flattener {
 public:
  Flattener(const tenon_onnx::ModelProto& model, Problems& problems, FailedValues& failed)
      : model_(model), problems_(problems), failed_(failed) {
    for (const FunctionProto& function : model.functions()) {
      functions_.emplace(
          FunctionKey(normal_domain(function.domain()), function.name(), function.overload()),
          &function);
    }
  }

  std::vector<FlatNode> run() {
    const auto& graph = model_.graph();
    for (const auto& input : graph.input()) taken_.insert(input.name());
    for (const auto& tensor : graph.initializer()) taken_.insert(tensor.name());
    for (const NodeProto& node : graph.node()) {
      taken_.insert(node.output().begin(), node.output().end());
    }
    Scope scope;
    scope.opsets = read_opsets(model_.opset_import());
    add_nodes(graph.node(), scope);
    return std::move(nodes_);
  }

 private:
  void add_nodes(const google::protobuf::RepeatedPtrField<NodeProto>& nodes, Scope& scope) {
    for (int i = 0; i < nodes.size(); ++i) {
      if (!scope.function) scope.index = i;
      const NodeProto& node = nodes[i];
      if (scope.function) {
        cost_ += kNodeCost + scope.prefix.size() * (1 + node.input_size() + node.output_size());
        if (cost_ > kMaximumCost) return report_too_many();
      }
      FlatNode flat = make_node(node, i, scope);
      const auto function = functions_.find({flat.domain, node.op_type(), node.overload()});
      Status status = function == functions_.end() ? find_opset(scope, flat)
                                                   : call(*function->second, flat, scope);
      if (status.ok() && function == functions_.end()) {
        nodes_.push_back(std::move(flat));
      } else if (!status.ok()) {
        failed_.insert(flat.outputs.begin(), flat.outputs.end());
        problems_.add(flat.index, flat.name, flat.label(), std::move(status));
      }
    }
  }

  void report_too_many() {
    if (std::exchange(too_many_, true)) return;
    problems_.add(Status(ErrorCode::unsupported,
                         "not supported yet: functions that make more than 250000 nodes in all"));
  }

  FlatNode make_node(const NodeProto& node, int position, Scope& scope) {
    FlatNode flat;
    flat.op_type = node.op_type();
    flat.domain = normal_domain(node.domain());
    flat.index = scope.index;
    flat.name = node.name().empty() ? fmt::format("{}_{}", node.op_type(), position) : node.name();
    if (scope.function) flat.name = scope.prefix + "/" + flat.name;
    for (const std::string& name : node.input()) flat.inputs.push_back(value_name(name, scope));
    for (const std::string& name : node.output()) flat.outputs.push_back(value_name(name, scope));
    for (const AttributeProto& attribute : node.attribute()) {
      const AttributeProto* value = &attribute;
      if (!attribute.ref_attr_name().empty()) {
        // The caller gives no such attribute and there is no default: the node goes without.
        const auto found = scope.attributes.find(attribute.ref_attr_name());
        if (found == scope.attributes.end()) continue;
        value = found->second;
      }
      flat.attributes.push_back({attribute.name(), value});
    }
    return flat;
  }

  /// The name that a value of `scope` has in the model.
  std::string value_name(const std::string& name, Scope& scope) {
    if (!scope.function || name.empty()) return name;
    const auto [entry, is_new] = scope.values.emplace(name, "");
    if (is_new) entry->second = unique(scope.prefix + "/" + name);
    return entry->second;
  }

  std::string unique(const std::string& name) {
    std::string candidate = name;
    while (!taken_.insert(candidate).second) {
      candidate = fmt::format("{}_{}", name, ++repeats_[name] + 1);
    }
    return candidate;
  }

  static Status find_opset(const Scope& scope, FlatNode& node) {
    // A function that does not say imports what its caller imports.
    for (const Scope* at = &scope; at; at = at->caller) {
      const auto found = at->opsets.find(node.domain);
      if (found == at->opsets.end()) continue;
      node.opset = found->second;
      return check_opset(node.domain, node.opset);
    }
    return invalid(fmt::format("the model imports no opset of domain \"{}\"",
                               node.domain.empty() ? "ai.onnx" : node.domain));
  }

  Status call(const FunctionProto& function, const FlatNode& node, Scope& caller) {
    if (caller.is_inside(&function)) {
      return invalid(fmt::format("function \"{}\" calls itself", function.name()));
    }
    if (caller.depth() >= kMaximumCallDepth) {
      return Status(
          ErrorCode::unsupported,
          fmt::format("not supported yet: functions nested more than {} deep", kMaximumCallDepth));
    }
    const auto too_many = [&](const char* what, size_t given, int known) {
      return invalid(fmt::format("function \"{}\" has {} {}, and the call gives {}",
                                 function.name(), known, what, given));
    };
    if (node.inputs.size() > static_cast<size_t>(function.input_size())) {
      return too_many("inputs", node.inputs.size(), function.input_size());
    }
    if (node.outputs.size() > static_cast<size_t>(function.output_size())) {
      return too_many("outputs", node.outputs.size(), function.output_size());
    }

    Scope scope;
    scope.function = &function;
    scope.caller = &caller;
    scope.index = node.index;
    scope.prefix = node.name.starts_with('/') ? node.name : "/" + node.name;
    scope.opsets = read_opsets(function.opset_import());
    for (const AttributeProto& attribute : function.attribute_proto()) {
      scope.attributes[attribute.name()] = &attribute;
    }
    for (const FlatAttribute& attribute : node.attributes) {
      scope.attributes[attribute.name] = attribute.value;
    }
    for (int i = 0; i < function.input_size(); ++i) {
      const bool given = static_cast<size_t>(i) < node.inputs.size();
      scope.values[function.input(i)] = given ? node.inputs[i] : "";
    }
    std::vector<FlatNode> copies = bind_outputs(node, scope);
    add_nodes(function.node(), scope);
    for (FlatNode& copy : copies) nodes_.push_back(std::move(copy));
    return {};
  }

  /// Gives the function's outputs the names that the call uses. A function may hand out an input,
  /// or one value twice: those need a copy, since a value has one name.
  std::vector<FlatNode> bind_outputs(const FlatNode& node, Scope& scope) {
    std::vector<FlatNode> copies;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      const std::string& formal = scope.function->output(static_cast<int>(i));
      const auto [entry, is_new] = scope.values.emplace(formal, node.outputs[i]);
      if (is_new) continue;
      FlatNode copy;
      copy.op_type = "Identity";
      copy.index = node.index;
      copy.name = fmt::format("{}/{}", scope.prefix, formal);
      copy.inputs = {entry->second};
      copy.outputs = {node.outputs[i]};
      copies.push_back(std::move(copy));
    }
    return copies;
  }

  const tenon_onnx::ModelProto& model_;
  Problems& problems_;
  FailedValues& failed_;
  std::map<FunctionKey, const FunctionProto*> functions_;
  std::set<std::string> taken_;         ///< names of values
  std::map<std::string, int> repeats_;  ///< of names that were taken
  std::vector<FlatNode> nodes_;
  size_t cost_ = 0;
  bool too_many_ = false;
};

}  // namespace

std::string normal_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

Opsets read_opsets(
    const google::protobuf::RepeatedPtrField<tenon_onnx::OperatorSetIdProto>& imports) {
  Opsets opsets;
  for (const auto& import : imports) opsets[normal_domain(import.domain())] = import.version();
  return opsets;
}

Status check_opset(const std::string& domain, int64_t version) {
  if (!domain.empty() || version >= kOldestOpset) return {};
  return Status(
      ErrorCode::unsupported,
      fmt::format("not supported yet: opset {} of ai.onnx; convert the model to opset {} or later",
                  version, kOldestOpset));
}

std::vector<FlatNode> flatten(const tenon_onnx::ModelProto& model, Problems& problems,
                              FailedValues& failed) {
  return Flattener(model, problems, failed).run();
}

}  // namespace tenon::parser
