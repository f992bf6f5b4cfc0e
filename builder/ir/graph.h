// SPDX-License-Identifier: Apache-2.0
// The graph: operators over typed values in static single assignment.
#pragma once

#include "builder/ir/type.h"

#include <tenon/network.h>
#include <tenon/status.h>

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::ir {

class Graph;
class Node;
class Region;

/// One use of a value: input `index` of `node`.
struct Use {
  Node* node = nullptr;
  int index = 0;
  bool operator==(const Use&) const = default;
};

/// What a node (or a region, as a parameter) defines. Owned by it.
class Value {
 public:
  TensorType type;
  std::string name;  ///< the ONNX tensor it equals, or empty; kept through every pass that keeps
                     ///< the meaning
  /// Elements known before the run, as dims: of a shape computation. At most 64 elements,
  /// row-major.
  std::optional<std::vector<Dim>> known_elements;

  /// Null for a parameter of a region.
  Node* producer() const { return producer_; }
  Region* region() const { return region_; }
  /// Output number of the producer, or parameter number of the region.
  int index() const { return index_; }
  bool is_parameter() const { return producer_ == nullptr; }
  const std::vector<Use>& uses() const { return uses_; }
  bool has_one_use() const { return uses_.size() == 1; }

 private:
  friend class Node;
  friend class Region;
  friend class Graph;
  Node* producer_ = nullptr;
  Region* region_ = nullptr;
  int index_ = 0;
  std::vector<Use> uses_;
};

/// An operator applied to values. Inputs may be null: an optional one left out.
class Node {
 public:
  ~Node();

  const std::string& op() const { return op_; }
  Region* parent() const { return parent_; }
  const std::vector<Value*>& inputs() const { return inputs_; }
  Value* input(int index) const {
    return index < static_cast<int>(inputs_.size()) ? inputs_[index] : nullptr;
  }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  /// Changes one input and the uses of both values.
  void set_input(int index, Value* value);
  void set_inputs(const std::vector<Value*>& values);

  int output_count() const { return static_cast<int>(outputs_.size()); }
  Value* output(int index = 0) const { return outputs_[index].get(); }
  Value* add_output(TensorType type, std::string name = "");

  Attributes attributes;
  std::vector<std::string> origins;  ///< names of the ONNX nodes it came from

  /// Attributes by type, or the default when absent or of another type.
  int64_t integer(std::string_view name, int64_t otherwise = 0) const;
  double real(std::string_view name, double otherwise = 0) const;
  std::string text(std::string_view name, std::string otherwise = "") const;
  std::vector<int64_t> integers(std::string_view name) const;
  const TensorData* tensor(std::string_view name) const;

  const std::vector<std::unique_ptr<Region>>& regions() const { return regions_; }
  Region* add_region();

  bool is_constant() const { return op_ == kConstantOp; }
  static constexpr std::string_view kConstantOp = "const";  ///< attribute "value": TensorData
  static constexpr std::string_view kGroupOp = "group";     ///< one region, compiled to one step
  static constexpr std::string_view kReturnOp = "return";   ///< ends every region

 private:
  friend class Region;
  friend class Graph;
  Node(Region* parent, std::string op);
  void attach(int index, Value* value);
  void detach(int index);
  static void detach_all(Value& value);
  std::string op_;
  Region* parent_ = nullptr;
  std::list<std::unique_ptr<Node>>::iterator position_;
  std::vector<Value*> inputs_;
  std::vector<size_t> use_positions_;  // of each input in the uses of its value
  std::vector<std::unique_ptr<Value>> outputs_;
  std::vector<std::unique_ptr<Region>> regions_;
};

/// Parameters, nodes in an order where every value is defined before its use, and a `return` node
/// whose inputs are the results. A region sees only its own values: what it needs comes in as a
/// parameter.
class Region {
 public:
  ~Region();
  Node* owner() const { return owner_; }  ///< null for the graph's body
  Graph* graph() const;

  const std::vector<std::unique_ptr<Value>>& parameters() const { return parameters_; }
  Value* parameter(int index) const { return parameters_[index].get(); }
  Value* add_parameter(TensorType type, std::string name = "");
  /// The parameter must be unused; later ones move down.
  void remove_parameter(int index);

  /// In order, `return` last. Stable under insertion and removal of others.
  const std::list<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  /// The nodes as a copy, for loops that insert or erase.
  std::vector<Node*> node_list() const;

  /// Adds a node without outputs before `before` (null: before `return`).
  Node* insert(std::string op, const std::vector<Value*>& inputs, Node* before = nullptr);
  /// The node's outputs must be unused. Its regions go with it.
  void erase(Node* node);
  /// Moves a node of this region before another of it.
  void move_before(Node* node, Node* before);

  Node* terminator() const { return return_; }
  const std::vector<Value*>& results() const { return return_->inputs(); }
  void set_results(const std::vector<Value*>& values) { return_->set_inputs(values); }

 private:
  friend class Node;
  friend class Graph;
  Region(Graph* graph, Node* owner);
  Graph* graph_;  // set in the body only
  Node* owner_;
  std::vector<std::unique_ptr<Value>> parameters_;
  std::list<std::unique_ptr<Node>> nodes_;
  Node* return_ = nullptr;
};

/// A whole model: a body whose parameters are the inputs and whose results are the outputs.
class Graph {
 public:
  explicit Graph(std::string name = "graph");
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  std::string name;
  SymbolRanges symbols;
  std::vector<std::string> output_names;  ///< one for each result of the body

  Region& body() { return *body_; }
  const Region& body() const { return *body_; }

  /// Makes every use of `from` a use of `to`. `to` takes the name of `from` when it has none.
  static void replace_all_uses(Value* from, Value* to);
  /// Adds a constant before `before` (null: at the front of the region).
  static Value* add_constant(Region& region, TensorData data, std::string name = "",
                             Node* before = nullptr);
  /// The payload when `value` is a constant of its region, else null.
  static const TensorData* constant_of(const Value* value);
  /// Removes nodes whose outputs nobody uses, in every region. Returns how many.
  int64_t erase_dead_nodes();
  /// An independent copy; constant bytes are shared.
  Graph clone() const;
  /// A symbol name not used yet, starting with `stem`; it gets an unbounded range in `symbols`.
  std::string fresh_symbol(const std::string& stem);

 private:
  friend class Region;
  std::unique_ptr<Region> body_;
  std::map<std::string, int64_t> fresh_symbols_;  // next number of each stem
};

}  // namespace tenon::ir
