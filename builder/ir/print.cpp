// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/attribute_text.h"
#include "builder/ir/scanner.h"
#include "builder/ir/text.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

namespace tenon::ir {
namespace {

constexpr std::string_view kStatementWords[] = {"symbols", "output", "return", "from"};

template <typename List, typename Function>
std::string join(const List& list, Function function) {
  std::string text;
  for (const auto& item : list) {
    if (&item != &*std::begin(list)) text += ", ";
    text += function(item);
  }
  return text;
}

std::string range_to_string(const std::string& symbol, const SymbolRange& range) {
  const bool is_bounded = range.maximum >= 0;
  std::string text = std::to_string(range.minimum) + "<=" + quote_unless_identifier(symbol);
  if (is_bounded) text += "<=" + std::to_string(range.maximum);
  if (range.optimum != (is_bounded ? range.maximum : range.minimum)) {
    text += " opt " + std::to_string(range.optimum);
  }
  return text;
}

std::set<std::string> symbols_of(const TensorType& type) {
  std::set<std::string> names;
  for (const Dim& dim : type.shape) names.merge(dim.symbols());
  return names;
}

std::string type_to_string(const Value& value) {
  std::string text = to_string(value.type);
  if (value.known_elements) text += " known " + to_string(*value.known_elements);
  return text;
}

class Printer {
 public:
  Printer(const Graph& graph, ConstantFile* constants) : graph_(graph), constants_(constants) {}

  std::string print() {
    number_values(graph_.body());
    const std::string& name = graph_.name;
    text_ = "graph @" + quote_unless_identifier(name) + " {\n";
    print_symbols();
    std::set<std::string> seen;
    for (const auto& parameter : graph_.body().parameters()) print_input(*parameter, seen);
    for (const auto& node : graph_.body().nodes()) {
      if (node.get() != graph_.body().terminator()) print_node(*node, 1);
    }
    const std::vector<Value*>& results = graph_.body().results();
    for (size_t i = 0; i < results.size(); ++i) {
      const bool is_named = i < graph_.output_names.size();
      text_ += "  output " + quote(is_named ? graph_.output_names[i] : "") + " = " +
               reference(results[i]) + "\n";
    }
    return std::move(text_) + "}\n";
  }

 private:
  /// In the order in which print() defines the values.
  void number_values(const Region& region) {
    for (const auto& parameter : region.parameters()) number(*parameter);
    for (const auto& node : region.nodes()) {
      for (int i = 0; i < node->output_count(); ++i) number(*node->output(i));
      for (const auto& inner : node->regions()) number_values(*inner);
    }
  }
  void number(const Value& value) { numbers_.emplace(&value, numbers_.size()); }

  /// Symbols that no input mentions.
  void print_symbols() {
    std::set<std::string> of_inputs;
    for (const auto& parameter : graph_.body().parameters()) {
      of_inputs.merge(symbols_of(parameter->type));
    }
    SymbolRanges others = graph_.symbols;
    std::erase_if(others, [&](const auto& entry) { return of_inputs.contains(entry.first); });
    if (!others.empty()) text_ += "  symbols " + ranges(others) + "\n";
  }

  void print_input(const Value& input, std::set<std::string>& seen) {
    text_ += "  " + definition(input) + " = input : " + type_to_string(input);
    SymbolRanges here;
    for (const std::string& symbol : symbols_of(input.type)) {
      const auto found = graph_.symbols.find(symbol);
      if (found != graph_.symbols.end() && seen.insert(symbol).second) here.insert(*found);
    }
    if (!here.empty()) text_ += " where " + ranges(here);
    text_ += "\n";
  }

  void print_node(const Node& node, int depth) {
    text_.append(2 * depth, ' ');
    if (const TensorData* data = plain_constant(node)) {
      const TensorType& type = node.output()->type;
      text_ += definition(*node.output()) + " = const : " + type_to_string(*node.output()) + " " +
               payload_to_string(*data, physical_elements(type.layout, type.shape).constant(),
                                 constants_);
    } else {
      print_application(node, depth);
    }
    if (!node.origins.empty()) text_ += " from(" + join(node.origins, quote) + ")";
    text_ += "\n";
  }

  void print_application(const Node& node, int depth) {
    std::vector<const Value*> outputs;
    for (int i = 0; i < node.output_count(); ++i) outputs.push_back(node.output(i));
    if (!outputs.empty()) {
      text_ += join(outputs, [this](const Value* value) { return definition(*value); }) + " = ";
    }
    const bool is_word = std::find(std::begin(kStatementWords), std::end(kStatementWords),
                                   node.op()) != std::end(kStatementWords);
    text_ += is_word ? quote(node.op()) : quote_unless_identifier(node.op());
    text_ += "(" + references(node.inputs()) + ")";
    if (!node.attributes.empty()) text_ += " " + attributes_to_string(node.attributes, constants_);
    for (const auto& region : node.regions()) print_region(*region, depth);
    if (outputs.empty()) return;
    text_ += " : " + join(outputs, [](const Value* value) { return type_to_string(*value); });
  }

  void print_region(const Region& region, int depth) {
    text_ += " (" +
             join(region.parameters(),
                  [this](const std::unique_ptr<Value>& parameter) {
                    return definition(*parameter) + " : " + type_to_string(*parameter);
                  }) +
             ") {\n";
    for (const auto& node : region.nodes()) {
      if (node.get() != region.terminator()) print_node(*node, depth + 1);
    }
    text_.append(2 * (depth + 1), ' ');
    text_ += "return";
    if (!region.results().empty()) text_ += " " + references(region.results());
    text_ += "\n";
    text_.append(2 * depth, ' ');
    text_ += "}";
  }

  /// The payload of a constant that the short form says whole.
  static const TensorData* plain_constant(const Node& node) {
    if (!node.is_constant() || node.output_count() != 1 || node.input_count() != 0) return nullptr;
    if (node.attributes.size() != 1 || !node.regions().empty()) return nullptr;
    const TensorData* data = node.tensor("value");
    const TensorType& type = node.output()->type;
    const bool is_same = data && data->type == type.type && is_static(type.shape) &&
                         data->dims == static_dims(type.shape) &&
                         verify_layout(type.layout, type.rank()).ok();
    return is_same ? data : nullptr;
  }

  std::string ranges(const SymbolRanges& ranges) {
    return join(ranges,
                [](const auto& entry) { return range_to_string(entry.first, entry.second); });
  }

  std::string definition(const Value& value) {
    return reference(&value) + (value.name.empty() ? "" : " " + quote(value.name));
  }

  std::string references(const std::vector<Value*>& values) {
    return join(values, [this](const Value* value) { return reference(value); });
  }

  std::string reference(const Value* value) {
    if (!value) return "_";
    const auto found = numbers_.find(value);
    return found == numbers_.end() ? "%?" : "%" + std::to_string(found->second);
  }

  const Graph& graph_;
  ConstantFile* constants_;
  std::unordered_map<const Value*, size_t> numbers_;
  std::string text_;
};

}  // namespace

std::string print(const Graph& graph, ConstantFile* constants) {
  return Printer(graph, constants).print();
}

}  // namespace tenon::ir
