// SPDX-License-Identifier: Apache-2.0
#include "parser/attribute.h"
#include "parser/flatten.h"
#include "parser/input_type.h"
#include "parser/model_file.h"
#include "parser/order.h"
#include "parser/problems.h"
#include "parser/tensor.h"

#include <tenon/parser.h>

#include <fmt/core.h>

#include <exception>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <utility>

namespace tenon {
namespace {

using parser::FlatNode;
using parser::ModelFile;
using tenon_onnx::TensorProto;

constexpr int64_t kNewestIrVersion = tenon_onnx::IR_VERSION;

Status invalid(std::string message) { return Status(ErrorCode::invalid_model, std::move(message)); }

/// The reason in an error of Network::add_node, which names the node as the list of problems does.
Status without_node(const Status& status, const FlatNode& node) {
  const std::string& message = status.message();
  const std::string start = fmt::format("node {} \"{}\" ", node.index, node.name);
  if (!message.starts_with(start)) return status;
  const size_t colon = message.find(": ", start.size());
  return colon == std::string::npos ? status : Status(status.code(), message.substr(colon + 2));
}

/// Puts one model into a network, and goes on after each problem so that all are found.
class ModelImporter {
 public:
  ModelImporter(ModelFile& file, const ParserOptions& options)
      : file_(file),
        graph_(file.proto.graph()),
        options_(options),
        network_(graph_.name().empty() ? "network" : graph_.name()) {}

  Result<Network> run() {
    const parser::Opsets opsets = parser::read_opsets(file_.proto.opset_import());
    summarize(opsets);
    warn();
    const auto onnx = opsets.find("");
    if (onnx != opsets.end()) TENON_RETURN_IF_ERROR(parser::check_opset("", onnx->second));
    find_initializers();
    add_inputs();
    std::vector<FlatNode> nodes = parser::flatten(file_.proto, problems_, failed_);
    for (const FlatNode& node : sort_nodes(std::move(nodes), defined_, problems_, failed_)) {
      add_node(node);
    }
    mark_outputs();
    if (options_.problems) *options_.problems = problems_.all();
    TENON_RETURN_IF_ERROR(problems_.summary(graph_.node_size()));
    return std::move(network_);
  }

 private:
  void log(LogLevel level, const std::string& message) const {
    if (options_.logger) options_.logger(level, message);
  }

  void summarize(const parser::Opsets& opsets) const {
    if (!options_.summary) return;
    ModelSummary summary;
    summary.ir_version = file_.proto.ir_version();
    summary.opsets.assign(opsets.begin(), opsets.end());
    summary.node_count = graph_.node_size();
    for (const auto& node : graph_.node()) {
      const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
      ++summary.operators[standard ? node.op_type() : node.domain() + "::" + node.op_type()];
    }
    for (const TensorProto& tensor : graph_.initializer()) {
      const auto count =
          parser::checked_element_count({tensor.dims().begin(), tensor.dims().end()});
      const auto type = parser::element_type(tensor.data_type());
      if (!count || !type.ok()) continue;
      summary.parameter_count += *count;
      summary.parameter_bytes += byte_size(*type, *count);
    }
    *options_.summary = std::move(summary);
  }

  void warn() const {
    if (file_.proto.ir_version() > kNewestIrVersion) {
      log(LogLevel::warning,
          fmt::format(
              "the model has IR version {}, newer than the {} that Tenon knows; what is new "
              "in it is ignored",
              file_.proto.ir_version(), kNewestIrVersion));
    }
    if (file_.has_training_info) {
      log(LogLevel::warning, "the model has training information, which is ignored");
    }
  }

  void find_initializers() {
    for (const TensorProto& tensor : graph_.initializer()) {
      if (tensor.name().empty()) {
        problems_.add(invalid("an initialiser has no name"));
      } else if (!initializers_.emplace(tensor.name(), &tensor).second) {
        problems_.add(invalid(fmt::format("initialiser \"{}\" is given twice", tensor.name())));
      }
      defined_.insert(tensor.name());
    }
    for (const auto& tensor : graph_.sparse_initializer()) {
      const std::string& name = tensor.values().name();
      problems_.add(
          Status(ErrorCode::unsupported,
                 fmt::format("initialiser \"{}\": not supported yet: sparse tensors", name)));
      defined_.insert(name);
      failed_.insert(name);
    }
  }

  /// An initialiser that is listed as an input as well is a constant: up to IR version 3 every one
  /// has to be listed, and later such an input is a default that hardly any caller replaces.
  void add_inputs() {
    parser::SymbolNames symbols;
    for (const auto& input : graph_.input()) {
      for (const auto& dim : input.type().tensor_type().shape().dim()) {
        if (!dim.dim_param().empty()) symbols.of(dim.dim_param());
      }
    }
    int64_t defaults = 0;
    for (const auto& input : graph_.input()) {
      if (initializers_.contains(input.name())) {
        ++defaults;
      } else if (!defined_.insert(input.name()).second && !failed_.contains(input.name())) {
        problems_.add(invalid(fmt::format("input \"{}\" is given twice", input.name())));
      } else {
        add_input(input, symbols);
      }
    }
    constexpr int64_t kLastThatListsAll = 3;
    if (defaults > 0 && file_.proto.ir_version() > kLastThatListsAll) {
      log(LogLevel::warning,
          fmt::format("{} of the model's inputs have a default value; they become constants",
                      defaults));
    }
  }

  void add_input(const tenon_onnx::ValueInfoProto& input, parser::SymbolNames& symbols) {
    const auto add = [&]() -> Result<NetworkTensor> {
      TENON_ASSIGN(const parser::InputType type, read_input_type(input, symbols));
      return network_.add_input(input.name(), type.type, type.dims);
    };
    note(input.name(), "input", add());
  }

  /// Keeps a tensor under its name, or notes the problem.
  void note(const std::string& name, const char* kind, const Result<NetworkTensor>& tensor) {
    if (tensor.ok()) {
      values_[name] = *tensor;
    } else {
      failed_.insert(name);
      problems_.add(tensor.status().with_context(fmt::format("{} \"{}\"", kind, name)));
    }
  }

  /// Makes sure that a name is in `values_`; false when it failed. Initialisers are read when they
  /// are first used, so that one that nothing reads cannot be a problem.
  bool provide(const std::string& name) {
    if (failed_.contains(name)) return false;
    if (values_.contains(name)) return true;
    const auto initializer = initializers_.find(name);
    if (initializer == initializers_.end()) return false;
    const auto add = [&]() -> Result<NetworkTensor> {
      TENON_ASSIGN(TensorData data, read_tensor(file_, *initializer->second));
      return network_.add_constant(name, std::move(data));
    };
    note(name, "initialiser", add());
    return values_.contains(name);
  }

  void add_node(const FlatNode& node) {
    bool has_inputs = true;
    for (const std::string& name : node.inputs) {
      if (!name.empty()) has_inputs &= provide(name);
    }
    // What it reads failed, and that is already noted.
    if (!has_inputs) return fail(node);
    Result<std::vector<NetworkTensor>> outputs = make_outputs(node);
    if (outputs.ok() && outputs->size() != node.outputs.size()) {
      outputs =
          Status(ErrorCode::internal, "it was given another number of outputs than asked for");
    }
    if (!outputs.ok()) {
      fail(node);
      problems_.add(node.index, node.name, node.label(), without_node(outputs.status(), node));
      return;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].empty()) values_[node.outputs[i]] = (*outputs)[i];
    }
  }

  void fail(const FlatNode& node) { failed_.insert(node.outputs.begin(), node.outputs.end()); }

  Result<std::vector<NetworkTensor>> make_outputs(const FlatNode& node) {
    if (node.domain.empty() && node.op_type == "Constant" && node.outputs.size() == 1) {
      TENON_ASSIGN(TensorData data, read_constant_node(file_, node));
      TENON_ASSIGN(NetworkTensor constant, network_.add_constant(node.outputs[0], std::move(data)));
      return std::vector<NetworkTensor>{constant};
    }
    NodeDescription description;
    description.op_type = node.op_type;
    description.domain = node.domain;
    description.opset = node.opset;
    description.name = node.name;
    description.index = node.index;
    description.output_names = node.outputs;
    for (const std::string& name : node.inputs) {
      description.inputs.push_back(name.empty() ? NetworkTensor() : values_[name]);
    }
    TENON_ASSIGN(description.attributes, read_attributes(file_, node));
    return network_.add_node(description);
  }

  void mark_outputs() {
    if (graph_.output_size() == 0) problems_.add(invalid("the graph has no output"));
    std::set<std::string> seen;
    for (const auto& output : graph_.output()) {
      const std::string& name = output.name();
      Status status;
      if (!seen.insert(name).second) {
        status = invalid("it is given twice");
      } else if (provide(name)) {
        status = network_.mark_output(name, values_[name]);
      } else if (!failed_.contains(name)) {
        status = invalid("nothing produces it");
      }
      if (!status.ok()) problems_.add(status.with_context(fmt::format("output \"{}\"", name)));
    }
  }

  ModelFile& file_;
  const tenon_onnx::GraphProto& graph_;
  const ParserOptions& options_;
  Network network_;
  parser::Problems problems_;
  parser::FailedValues failed_;
  std::map<std::string, const TensorProto*> initializers_;
  std::set<std::string> defined_;  ///< names of inputs and initialisers
  std::map<std::string, NetworkTensor> values_;
};

/// Libraries below may throw; callers see a Status. What is wrong with the file as a whole is a
/// problem of the model like any other.
template <typename Open>
Result<Network> parse(const ParserOptions& options, Open open) {
  const auto run = [&]() -> Result<Network> {
    try {
      TENON_ASSIGN(const std::unique_ptr<ModelFile> file, open());
      return ModelImporter(*file, options).run();
    } catch (const std::bad_alloc&) {
      return Status(ErrorCode::out_of_memory, "reading the model takes more memory than there is");
    } catch (const std::exception& error) {
      return Status(ErrorCode::internal, fmt::format("reading the model: {}", error.what()));
    }
  };
  if (options.problems) options.problems->clear();
  Result<Network> network = run();
  if (!network.ok() && options.problems && options.problems->empty()) {
    options.problems->push_back({-1, "", "", network.status()});
  }
  return network;
}

}  // namespace

Result<Network> parse_onnx(const std::string& path, const ParserOptions& options) {
  return parse(options, [&] { return ModelFile::open(path); });
}

Result<Network> parse_onnx(std::span<const std::byte> model, const ParserOptions& options) {
  return parse(options, [&] { return ModelFile::from_memory(model); });
}

}  // namespace tenon
