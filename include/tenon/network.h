// SPDX-License-Identifier: Apache-2.0
// A model as the builder takes it: made by the parser from ONNX, or by hand with this header.
#pragma once

#include <tenon/data_type.h>
#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon {

/// A dim of an input: a number, or the name of a symbol ("N"); an equal name means an equal size.
using InputDim = std::variant<int64_t, std::string>;

/// A dense row-major tensor. `owner` keeps `bytes` alive (a mapped file, a vector).
struct TensorData {
  DataType type = DataType::f32;
  std::vector<int64_t> dims;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// An attribute of a node. Floats are kept in double.
using AttributeValue = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                                    std::vector<double>, std::vector<std::string>, TensorData>;
using Attributes = std::map<std::string, AttributeValue, std::less<>>;

/// A tensor of a network; empty where an optional input is left out.
class NetworkTensor {
 public:
  NetworkTensor() = default;
  bool empty() const { return id_ < 0; }

 private:
  friend class Network;
  int64_t id_ = -1;
};

/// One node to add. Operators and attributes are those of ONNX at `opset` of `domain`.
struct NodeDescription {
  std::string op_type;
  std::string domain;            ///< "" is ai.onnx
  int64_t opset = 0;             ///< 0: the newest one that Tenon knows
  std::string name;              ///< for messages, profiles and reports
  int64_t index = -1;            ///< position in the model's file, for messages
  std::vector<NetworkTensor> inputs;
  std::vector<std::string> output_names;  ///< "" for an output that is not used
  Attributes attributes;
};

namespace ir {
class Graph;
}

/// A graph under construction. Not thread-safe; movable. Shapes are inferred as nodes are added.
class Network {
 public:
  explicit Network(std::string name = "network");
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  Result<NetworkTensor> add_input(const std::string& name, DataType type,
                                  const std::vector<InputDim>& dims);
  /// A constant; its bytes are kept by reference, not copied.
  Result<NetworkTensor> add_constant(const std::string& name, TensorData data);
  /// Adds a node and gives its outputs, one for each output name. The error names the node.
  Result<std::vector<NetworkTensor>> add_node(const NodeDescription& node);
  Status mark_output(const std::string& name, NetworkTensor tensor);

  /// The text form, e.g. for `tenon opt`.
  std::string to_text() const;

  /// For the builder: the graph itself.
  ir::Graph& graph();
  const ir::Graph& graph() const;

  struct Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon
