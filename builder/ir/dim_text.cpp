// SPDX-License-Identifier: Apache-2.0
// The text form of dims.
#include "builder/ir/checked.h"
#include "builder/ir/dim.h"
#include "builder/ir/scanner.h"

#include <utility>

namespace tenon::ir {
namespace {

using Kind = DimAtom::Kind;

/// Longer expressions are refused, which bounds the work that a text can cause.
constexpr int kMaximumFactors = 1000;

using BinaryOperation = Dim (*)(const Dim&, const Dim&);
constexpr std::pair<std::string_view, BinaryOperation> kFunctions[] = {
    {"floor_div", Dim::floor_div}, {"ceil_div", Dim::ceil_div}, {"mod", Dim::mod},
    {"min", Dim::minimum},         {"max", Dim::maximum},
};

BinaryOperation find_function(std::string_view name) {
  for (const auto& [known, function] : kFunctions) {
    if (known == name) return function;
  }
  return nullptr;
}

std::string call(std::string_view function, const Dim& a, const Dim& b) {
  return std::string(function) + "(" + a.to_string() + "," + b.to_string() + ")";
}

std::string atom_to_string(const DimAtom& atom) {
  switch (atom.kind) {
    case Kind::symbol:
      return find_function(atom.name) ? quote(atom.name) : quote_unless_identifier(atom.name);
    case Kind::floor_div:
      // floor((x + d-1) / d) = ceil(x / d)
      if (atom.b.is_constant() && atom.b.constant() > 1 &&
          atom.a.constant() == atom.b.constant() - 1) {
        return call("ceil_div", atom.a - atom.a.constant(), atom.b);
      }
      return call("floor_div", atom.a, atom.b);
    case Kind::mod:
      return call("mod", atom.a, atom.b);
    case Kind::minimum:
      return call("min", atom.a, atom.b);
    case Kind::maximum:
      return call("max", atom.a, atom.b);
  }
  return "";
}

std::string term_to_string(const DimProduct& product, int64_t coefficient) {
  // -floor(-x / y) = ceil(x / y)
  if (coefficient == -1 && product.size() == 1 && product[0]->kind == Kind::floor_div &&
      !product[0]->b.is_constant()) {
    const Dim negated = Dim(0) - product[0]->a;
    if (Dim(0) - Dim::ceil_div(negated, product[0]->b) == Dim::from_terms({{product, 1}}, 0)) {
      return call("ceil_div", negated, product[0]->b);
    }
  }
  std::string text;
  if (coefficient == -1) {
    text = "-";
  } else if (coefficient != 1) {
    text = std::to_string(coefficient) + "*";
  }
  for (size_t i = 0; i < product.size(); ++i) {
    if (i > 0) text += "*";
    text += atom_to_string(*product[i]);
  }
  return text;
}

class DimParser {
 public:
  explicit DimParser(Scanner& scanner) : scanner_(scanner) {}

  Result<Dim> sum() {
    TENON_ASSIGN(Dim total, product());
    while (true) {
      if (scanner_.accept("+")) {
        TENON_ASSIGN(const Dim next, product());
        total = total + next;
      } else if (scanner_.peek() == '-') {
        // The sign belongs to the next factor, so that the least integer can be read.
        TENON_ASSIGN(const Dim next, product());
        total = total + next;
      } else {
        return total;
      }
    }
  }

 private:
  Result<Dim> product() {
    TENON_ASSIGN(Dim total, factor());
    while (scanner_.accept("*")) {
      TENON_ASSIGN(const Dim next, factor());
      total = total * next;
    }
    return total;
  }

  Result<Dim> factor() {
    if (++factors_ > kMaximumFactors) {
      return scanner_.error("this expression has over " + std::to_string(kMaximumFactors) +
                            " factors");
    }
    if (depth_ == kMaximumNesting) {
      return scanner_.error("this expression nests over " + std::to_string(kMaximumNesting) +
                            " deep");
    }
    ++depth_;
    Result<Dim> result = factor_at_depth();
    --depth_;
    return result;
  }

  Result<Dim> factor_at_depth() {
    const size_t start = scanner_.position();
    const char next = scanner_.peek();
    if (next >= '0' && next <= '9') return number();
    if (next == '-') {
      if (const Result<Dim> literal = number(); literal.ok()) return literal;
      scanner_.set_position(start);
      (void)scanner_.accept("-");
      TENON_ASSIGN(const Dim operand, factor());
      return Dim(0) - operand;
    }
    if (scanner_.accept("(")) {
      TENON_ASSIGN(Dim inner, sum());
      TENON_RETURN_IF_ERROR(scanner_.expect(")"));
      return inner;
    }
    const bool is_quoted = next == '"';
    TENON_ASSIGN(std::string name, scanner_.name("a number, a symbol or an expression"));
    if (!is_quoted && scanner_.peek() == '(') return function_call(name, start);
    return Dim::symbol(std::move(name));
  }

  Result<Dim> number() {
    TENON_ASSIGN(const int64_t value, scanner_.integer("a number"));
    return Dim(value);
  }

  Result<Dim> function_call(const std::string& name, size_t start) {
    const BinaryOperation function = find_function(name);
    if (!function) {
      scanner_.set_position(start);
      return scanner_.expected("floor_div, ceil_div, mod, min or max");
    }
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    TENON_ASSIGN(const Dim a, sum());
    TENON_RETURN_IF_ERROR(scanner_.expect(","));
    TENON_ASSIGN(const Dim b, sum());
    TENON_RETURN_IF_ERROR(scanner_.expect(")"));
    return function(a, b);
  }

  Scanner& scanner_;
  int depth_ = 0;
  int factors_ = 0;
};

}  // namespace

std::string Dim::to_string() const {
  std::string text;
  for (const auto& [product, coefficient] : terms()) {
    const std::string term = term_to_string(product, coefficient);
    if (!text.empty() && term[0] != '-') text += "+";
    text += term;
  }
  if (text.empty()) return std::to_string(constant_);
  if (constant_ > 0) text += "+";
  if (constant_ != 0) text += std::to_string(constant_);
  return text;
}

Result<Dim> parse_dim(Scanner& scanner) { return DimParser(scanner).sum(); }

Result<std::vector<Dim>> parse_dims(Scanner& scanner) {
  TENON_RETURN_IF_ERROR(scanner.expect("["));
  std::vector<Dim> dims;
  if (scanner.accept("]")) return dims;
  do {
    TENON_ASSIGN(Dim dim, parse_dim(scanner));
    dims.push_back(std::move(dim));
  } while (scanner.accept(","));
  TENON_RETURN_IF_ERROR(scanner.expect("]"));
  return dims;
}

Result<Dim> Dim::parse(std::string_view text) {
  Scanner scanner(text);
  TENON_ASSIGN(Dim dim, parse_dim(scanner));
  TENON_RETURN_IF_ERROR(scanner.expect_end());
  return dim;
}

}  // namespace tenon::ir
