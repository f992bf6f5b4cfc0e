// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/graph.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace tenon::ir {
namespace {

using ValueMap = std::unordered_map<const Value*, Value*>;

void copy_value(const Value& from, Value& to, ValueMap& copies) {
  to.known_elements = from.known_elements;
  copies[&from] = &to;
}

void copy_inputs(const Node& from, Node& to, const ValueMap& copies) {
  std::vector<Value*> inputs;
  for (const Value* input : from.inputs()) {
    const auto found = copies.find(input);
    inputs.push_back(found == copies.end() ? nullptr : found->second);
  }
  to.set_inputs(inputs);
}

void copy_region(const Region& from, Region& to, ValueMap& copies) {
  for (const auto& parameter : from.parameters()) {
    copy_value(*parameter, *to.add_parameter(parameter->type, parameter->name), copies);
  }
  std::vector<std::pair<const Node*, Node*>> nodes;
  for (const auto& node : from.nodes()) {
    Node* copy = node.get() == from.terminator() ? to.terminator() : to.insert(node->op(), {});
    copy->attributes = node->attributes;
    copy->origins = node->origins;
    for (int i = 0; i < node->output_count(); ++i) {
      const Value& output = *node->output(i);
      copy_value(output, *copy->add_output(output.type, output.name), copies);
    }
    for (const auto& region : node->regions()) copy_region(*region, *copy->add_region(), copies);
    nodes.emplace_back(node.get(), copy);
  }
  for (const auto& [node, copy] : nodes) copy_inputs(*node, *copy, copies);
}

template <typename T>
const T* find_attribute(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

Node::Node(Region* parent, std::string op) : op_(std::move(op)), parent_(parent) {}

Node::~Node() {
  for (const auto& output : outputs_) detach_all(*output);
  for (int i = 0; i < input_count(); ++i) detach(i);
}

void Node::attach(int index, Value* value) {
  inputs_[index] = value;
  if (!value) return;
  use_positions_[index] = value->uses_.size();
  value->uses_.push_back({this, index});
}

void Node::detach(int index) {
  Value* value = inputs_[index];
  if (!value) return;
  // The last use fills the gap, so that removal takes the same time however many there are.
  const size_t position = use_positions_[index];
  const Use last = value->uses_.back();
  value->uses_[position] = last;
  last.node->use_positions_[last.index] = position;
  value->uses_.pop_back();
  inputs_[index] = nullptr;
}

void Node::detach_all(Value& value) {
  while (!value.uses_.empty()) {
    const Use use = value.uses_.back();
    use.node->detach(use.index);
  }
}

void Node::set_input(int index, Value* value) {
  detach(index);
  attach(index, value);
}

void Node::set_inputs(const std::vector<Value*>& values) {
  // `values` may be the inputs themselves.
  const std::vector<Value*> copy = values;
  for (int i = 0; i < input_count(); ++i) detach(i);
  inputs_.assign(copy.size(), nullptr);
  use_positions_.assign(copy.size(), 0);
  for (size_t i = 0; i < copy.size(); ++i) attach(static_cast<int>(i), copy[i]);
}

Value* Node::add_output(TensorType type, std::string name) {
  auto value = std::make_unique<Value>();
  value->type = std::move(type);
  value->name = std::move(name);
  value->producer_ = this;
  value->region_ = parent_;
  value->index_ = output_count();
  outputs_.push_back(std::move(value));
  return outputs_.back().get();
}

int64_t Node::integer(std::string_view name, int64_t otherwise) const {
  const auto* value = find_attribute<int64_t>(attributes, name);
  return value ? *value : otherwise;
}

double Node::real(std::string_view name, double otherwise) const {
  const auto* value = find_attribute<double>(attributes, name);
  return value ? *value : otherwise;
}

std::string Node::text(std::string_view name, std::string otherwise) const {
  const auto* value = find_attribute<std::string>(attributes, name);
  return value ? *value : otherwise;
}

std::vector<int64_t> Node::integers(std::string_view name) const {
  const auto* value = find_attribute<std::vector<int64_t>>(attributes, name);
  return value ? *value : std::vector<int64_t>();
}

const TensorData* Node::tensor(std::string_view name) const {
  return find_attribute<TensorData>(attributes, name);
}

Region* Node::add_region() {
  regions_.push_back(std::unique_ptr<Region>(new Region(nullptr, this)));
  return regions_.back().get();
}

Region::Region(Graph* graph, Node* owner) : graph_(graph), owner_(owner) {
  nodes_.push_back(std::unique_ptr<Node>(new Node(this, std::string(Node::kReturnOp))));
  return_ = nodes_.back().get();
  return_->position_ = nodes_.begin();
}

Region::~Region() {
  // Users first, so that no use list is walked for nothing.
  while (!nodes_.empty()) nodes_.pop_back();
  for (const auto& parameter : parameters_) Node::detach_all(*parameter);
}

Graph* Region::graph() const {
  const Region* region = this;
  while (region->owner_) region = region->owner_->parent();
  return region->graph_;
}

Value* Region::add_parameter(TensorType type, std::string name) {
  auto value = std::make_unique<Value>();
  value->type = std::move(type);
  value->name = std::move(name);
  value->region_ = this;
  value->index_ = static_cast<int>(parameters_.size());
  parameters_.push_back(std::move(value));
  return parameters_.back().get();
}

void Region::remove_parameter(int index) {
  Node::detach_all(*parameters_[index]);
  parameters_.erase(parameters_.begin() + index);
  for (size_t i = index; i < parameters_.size(); ++i) parameters_[i]->index_ = static_cast<int>(i);
}

std::vector<Node*> Region::node_list() const {
  std::vector<Node*> list;
  list.reserve(nodes_.size());
  for (const auto& node : nodes_) list.push_back(node.get());
  return list;
}

Node* Region::insert(std::string op, const std::vector<Value*>& inputs, Node* before) {
  Node* next = before ? before : return_;
  const auto position =
      nodes_.insert(next->position_, std::unique_ptr<Node>(new Node(this, std::move(op))));
  Node* node = position->get();
  node->position_ = position;
  node->set_inputs(inputs);
  return node;
}

void Region::erase(Node* node) { nodes_.erase(node->position_); }

void Region::move_before(Node* node, Node* before) {
  Node* next = before ? before : return_;
  if (next != node) nodes_.splice(next->position_, nodes_, node->position_);
}

Graph::Graph(std::string name) : name(std::move(name)), body_(new Region(this, nullptr)) {}

Graph::~Graph() = default;

Graph::Graph(Graph&& other) noexcept
    : name(std::move(other.name)),
      symbols(std::move(other.symbols)),
      output_names(std::move(other.output_names)),
      body_(std::move(other.body_)),
      fresh_symbols_(std::move(other.fresh_symbols_)) {
  if (body_) body_->graph_ = this;
}

Graph& Graph::operator=(Graph&& other) noexcept {
  if (this == &other) return *this;
  name = std::move(other.name);
  symbols = std::move(other.symbols);
  output_names = std::move(other.output_names);
  body_ = std::move(other.body_);
  fresh_symbols_ = std::move(other.fresh_symbols_);
  if (body_) body_->graph_ = this;
  return *this;
}

void Graph::replace_all_uses(Value* from, Value* to) {
  if (from == to) return;
  for (const Use& use : std::exchange(from->uses_, {})) use.node->attach(use.index, to);
  if (to->name.empty()) to->name = from->name;
}

Value* Graph::add_constant(Region& region, TensorData data, std::string name, Node* before) {
  Node* next = before ? before : region.nodes().front().get();
  Node* node = region.insert(std::string(Node::kConstantOp), {}, next);
  Value* value = node->add_output({data.type, to_shape(data.dims), {}}, std::move(name));
  node->attributes.emplace("value", std::move(data));
  return value;
}

const TensorData* Graph::constant_of(const Value* value) {
  if (!value || !value->producer() || !value->producer()->is_constant()) return nullptr;
  return value->producer()->tensor("value");
}

int64_t Graph::erase_dead_nodes() {
  int64_t count = 0;
  // From the end, so that the death of a user frees its operands before they are looked at.
  const auto sweep = [&count](const auto& self, Region& region) -> void {
    for (auto position = region.nodes_.end(); position != region.nodes_.begin();) {
      --position;
      Node& node = **position;
      const bool is_dead = &node != region.return_ &&
                           std::all_of(node.outputs_.begin(), node.outputs_.end(),
                                       [](const auto& output) { return output->uses().empty(); });
      if (is_dead) {
        position = region.nodes_.erase(position);
        ++count;
      } else {
        for (const auto& inner : node.regions_) self(self, *inner);
      }
    }
  };
  sweep(sweep, *body_);
  return count;
}

Graph Graph::clone() const {
  Graph copy(name);
  copy.symbols = symbols;
  copy.output_names = output_names;
  copy.fresh_symbols_ = fresh_symbols_;
  ValueMap copies;
  copy_region(*body_, *copy.body_, copies);
  return copy;
}

std::string Graph::fresh_symbol(const std::string& stem) {
  int64_t& next = fresh_symbols_[stem];
  std::string symbol = next == 0 ? stem : stem + std::to_string(next);
  ++next;
  while (symbols.contains(symbol)) symbol = stem + std::to_string(next++);
  symbols[symbol] = SymbolRange();
  return symbol;
}

}  // namespace tenon::ir
