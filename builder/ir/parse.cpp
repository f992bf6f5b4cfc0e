// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/attribute_text.h"
#include "builder/ir/scanner.h"
#include "builder/ir/text.h"
#include "builder/ir/type_scanner.h"

#include <unordered_map>
#include <utility>

namespace tenon::ir {
namespace {

/// The left side of a statement: "%4 "name"".
struct Definition {
  int64_t number = 0;
  std::string name;
  size_t position = 0;
};

struct AnnotatedType {
  TensorType type;
  std::optional<std::vector<Dim>> known_elements;
};

class GraphParser {
 public:
  GraphParser(std::string_view text, const ConstantFile* constants)
      : scanner_(text), constants_(constants) {}

  Result<Graph> parse() {
    TENON_RETURN_IF_ERROR(scanner_.expect("graph"));
    TENON_RETURN_IF_ERROR(scanner_.expect("@"));
    TENON_ASSIGN(graph_.name, scanner_.name("the name of the graph"));
    TENON_RETURN_IF_ERROR(scanner_.expect("{"));
    while (!scanner_.accept("}")) TENON_RETURN_IF_ERROR(body_statement());
    TENON_RETURN_IF_ERROR(scanner_.expect_end());
    graph_.body().set_results(results_);
    return std::move(graph_);
  }

 private:
  Status body_statement() {
    if (scanner_.accept("symbols")) return ranges();
    if (scanner_.accept("output")) return output();
    return statement(graph_.body());
  }

  Status ranges() {
    do {
      TENON_RETURN_IF_ERROR(range());
    } while (scanner_.accept(","));
    return Status();
  }

  /// "1<=N<=64 opt 8"; without "<=64" unbounded, without "opt" the optimum is the maximum, or the
  /// minimum when unbounded.
  Status range() {
    SymbolRange range;
    TENON_ASSIGN(range.minimum, scanner_.integer("the minimum of a symbol"));
    TENON_RETURN_IF_ERROR(scanner_.expect("<="));
    TENON_ASSIGN(const std::string symbol, scanner_.name("a symbol"));
    range.optimum = range.minimum;
    if (scanner_.accept("<=")) {
      TENON_ASSIGN(range.maximum, scanner_.integer("the maximum of a symbol"));
      if (range.maximum < 0) return scanner_.error("the maximum of a symbol is not negative");
      range.optimum = range.maximum;
    }
    if (scanner_.accept("opt")) {
      TENON_ASSIGN(range.optimum, scanner_.integer("the optimum of a symbol"));
    }
    if (!graph_.symbols.emplace(symbol, range).second) {
      return scanner_.error("the symbol " + quote(symbol) + " has two ranges");
    }
    return Status();
  }

  Status output() {
    TENON_ASSIGN(std::string name, scanner_.quoted());
    TENON_RETURN_IF_ERROR(scanner_.expect("="));
    TENON_ASSIGN(Value * value, reference(graph_.body()));
    graph_.output_names.push_back(std::move(name));
    results_.push_back(value);
    return Status();
  }

  Status statement(Region& region) {
    std::vector<Definition> definitions;
    if (scanner_.peek() == '%') {
      do {
        TENON_ASSIGN(Definition one, definition());
        definitions.push_back(std::move(one));
      } while (scanner_.accept(","));
      TENON_RETURN_IF_ERROR(scanner_.expect("="));
      const bool is_body = region.owner() == nullptr;
      const size_t start = scanner_.position();
      if (is_body && scanner_.accept("input") && scanner_.peek() != '(') {
        return input(region, definitions);
      }
      scanner_.set_position(start);
      if (scanner_.accept("const") && scanner_.peek() != '(') {
        return constant(region, definitions);
      }
      scanner_.set_position(start);
    }
    return application(region, definitions);
  }

  Status input(Region& region, const std::vector<Definition>& definitions) {
    TENON_RETURN_IF_ERROR(only_one(definitions));
    TENON_RETURN_IF_ERROR(scanner_.expect(":"));
    TENON_RETURN_IF_ERROR(parameter(region, definitions[0]));
    return scanner_.accept("where") ? ranges() : Status();
  }

  Status parameter(Region& region, const Definition& definition) {
    TENON_ASSIGN(AnnotatedType type, annotated_type());
    Value* value = region.add_parameter(std::move(type.type));
    value->known_elements = std::move(type.known_elements);
    return define(definition, value);
  }

  Status constant(Region& region, const std::vector<Definition>& definitions) {
    TENON_RETURN_IF_ERROR(only_one(definitions));
    TENON_RETURN_IF_ERROR(scanner_.expect(":"));
    TENON_ASSIGN(AnnotatedType type, annotated_type());
    if (!is_static(type.type.shape)) {
      return scanner_.error("the dims of a constant are numbers, not symbols");
    }
    std::vector<int64_t> dims = static_dims(type.type.shape);
    std::optional<int64_t> elements =
        physical_elements(type.type.layout, type.type.shape).constant();
    for (int64_t dim : dims) {
      if (dim < 0) elements.reset();
    }
    TENON_ASSIGN(TensorData data,
                 parse_payload(scanner_, type.type.type, std::move(dims), elements, constants_));
    Node* node = region.insert(std::string(Node::kConstantOp), {});
    node->attributes.emplace("value", std::move(data));
    return finish(*node, definitions, {std::move(type)});
  }

  Status application(Region& region, const std::vector<Definition>& definitions) {
    TENON_ASSIGN(std::string op, scanner_.name("an operator"));
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    std::vector<Value*> inputs;
    if (!scanner_.accept(")")) {
      TENON_ASSIGN(inputs, references(region));
      TENON_RETURN_IF_ERROR(scanner_.expect(")"));
    }
    Node* node = region.insert(std::move(op), inputs);
    if (scanner_.peek() == '{') {
      TENON_ASSIGN(node->attributes, parse_attributes(scanner_, constants_));
    }
    while (scanner_.peek() == '(') TENON_RETURN_IF_ERROR(inner_region(*node));
    std::vector<AnnotatedType> types;
    if (!definitions.empty()) {
      TENON_RETURN_IF_ERROR(scanner_.expect(":"));
      do {
        TENON_ASSIGN(AnnotatedType type, annotated_type());
        types.push_back(std::move(type));
      } while (scanner_.accept(","));
    }
    return finish(*node, definitions, std::move(types));
  }

  /// Adds outputs and origins.
  Status finish(Node& node, const std::vector<Definition>& definitions,
                std::vector<AnnotatedType> types) {
    if (types.size() != definitions.size()) {
      return scanner_.error("the operator has " + std::to_string(definitions.size()) +
                            " outputs and " + std::to_string(types.size()) + " types");
    }
    for (size_t i = 0; i < types.size(); ++i) {
      Value* value = node.add_output(std::move(types[i].type));
      value->known_elements = std::move(types[i].known_elements);
      TENON_RETURN_IF_ERROR(define(definitions[i], value));
    }
    if (!scanner_.accept("from")) return Status();
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    do {
      TENON_ASSIGN(std::string origin, scanner_.quoted());
      node.origins.push_back(std::move(origin));
    } while (scanner_.accept(","));
    return scanner_.expect(")");
  }

  Status inner_region(Node& node) {
    if (depth_ == kMaximumNesting) {
      return scanner_.error("regions nest over " + std::to_string(kMaximumNesting) + " deep");
    }
    ++depth_;
    Region& region = *node.add_region();
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    if (!scanner_.accept(")")) {
      do {
        TENON_ASSIGN(const Definition one, definition());
        TENON_RETURN_IF_ERROR(scanner_.expect(":"));
        TENON_RETURN_IF_ERROR(parameter(region, one));
      } while (scanner_.accept(","));
      TENON_RETURN_IF_ERROR(scanner_.expect(")"));
    }
    TENON_RETURN_IF_ERROR(scanner_.expect("{"));
    while (!scanner_.accept("return")) TENON_RETURN_IF_ERROR(statement(region));
    if (scanner_.peek() != '}') {
      TENON_ASSIGN(const std::vector<Value*> results, references(region));
      region.set_results(results);
    }
    --depth_;
    return scanner_.expect("}");
  }

  Result<AnnotatedType> annotated_type() {
    AnnotatedType result;
    TENON_ASSIGN(result.type, parse_type(scanner_));
    if (scanner_.accept("known")) {
      TENON_ASSIGN(result.known_elements, parse_dims(scanner_));
    }
    return result;
  }

  Result<int64_t> value_number() {
    TENON_RETURN_IF_ERROR(scanner_.expect("%"));
    TENON_ASSIGN(const int64_t number, scanner_.integer("the number of a value"));
    if (number < 0) return scanner_.error("the number of a value is not negative");
    return number;
  }

  Result<Definition> definition() {
    Definition result;
    scanner_.peek();
    result.position = scanner_.position();
    TENON_ASSIGN(result.number, value_number());
    if (scanner_.peek() == '"') {
      TENON_ASSIGN(result.name, scanner_.quoted());
    }
    return result;
  }

  Status only_one(const std::vector<Definition>& definitions) {
    if (definitions.size() == 1) return Status();
    return scanner_.error("an input or a constant defines one value");
  }

  Status define(const Definition& definition, Value* value) {
    value->name = definition.name;
    if (values_.emplace(definition.number, value).second) return Status();
    scanner_.set_position(definition.position);
    return scanner_.error("%" + std::to_string(definition.number) + " is defined twice");
  }

  /// "%4", or "_" for none.
  Result<Value*> reference(const Region& region) {
    if (scanner_.accept("_")) return nullptr;
    if (scanner_.peek() != '%') return scanner_.expected("a value such as %0, or _");
    const size_t start = scanner_.position();
    TENON_ASSIGN(const int64_t number, value_number());
    const auto found = values_.find(number);
    if (found != values_.end() && found->second->region() == &region) return found->second;
    scanner_.set_position(start);
    const std::string name = "%" + std::to_string(number);
    if (found == values_.end()) return scanner_.error(name + " is not defined before its use");
    return scanner_.error(name + " belongs to another region; pass it as a parameter");
  }

  Result<std::vector<Value*>> references(const Region& region) {
    std::vector<Value*> values;
    do {
      TENON_ASSIGN(Value * value, reference(region));
      values.push_back(value);
    } while (scanner_.accept(","));
    return values;
  }

  Scanner scanner_;
  const ConstantFile* constants_;
  Graph graph_;
  std::vector<Value*> results_;
  std::unordered_map<int64_t, Value*> values_;
  int depth_ = 0;
};

}  // namespace

Result<Graph> parse(std::string_view text, const ConstantFile* constants) {
  return GraphParser(text, constants).parse();
}

}  // namespace tenon::ir
