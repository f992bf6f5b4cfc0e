// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/dim.h"

#include "builder/ir/checked.h"

#include <algorithm>
#include <utility>

namespace tenon::ir {
namespace {

/// Above this many terms the factors of a product stay whole, so that products of sums cannot
/// explode.
constexpr size_t kMaximumTerms = 4096;

int compare(const Dim& a, const Dim& b);

int compare(const DimAtom& a, const DimAtom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind == DimAtom::Kind::symbol) return a.name.compare(b.name);
  if (const int order = compare(a.a, b.a); order != 0) return order;
  return compare(a.b, b.b);
}

/// Higher degrees first, then by atoms: an order that products keep, as polynomial division needs.
int compare(const DimProduct& a, const DimProduct& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    if (const int order = compare(*a[i], *b[i]); order != 0) return order;
  }
  return 0;
}

int compare(const Dim& a, const Dim& b) {
  const Dim::Terms& x = a.terms();
  const Dim::Terms& y = b.terms();
  if (&x != &y) {
    if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
    for (auto i = x.begin(), j = y.begin(); i != x.end(); ++i, ++j) {
      if (const int order = compare(i->first, j->first); order != 0) return order;
      if (i->second != j->second) return i->second < j->second ? -1 : 1;
    }
  }
  if (a.constant() == b.constant()) return 0;
  return a.constant() < b.constant() ? -1 : 1;
}

bool atom_less(const DimAtomPointer& a, const DimAtomPointer& b) { return compare(*a, *b) < 0; }

DimProduct multiply(const DimProduct& a, const DimProduct& b) {
  DimProduct product;
  product.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(product), atom_less);
  return product;
}

std::optional<DimProduct> divide(const DimProduct& a, const DimProduct& b) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end(), atom_less)) return std::nullopt;
  DimProduct quotient;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(quotient),
                      atom_less);
  return quotient;
}

/// All terms with the constant as the term without atoms.
Dim::Terms polynomial(const Dim& dim) {
  Dim::Terms terms = dim.terms();
  if (dim.constant() != 0) terms.emplace(DimProduct{}, dim.constant());
  return terms;
}

Dim from_polynomial(Dim::Terms terms) {
  int64_t constant = 0;
  if (auto found = terms.find(DimProduct{}); found != terms.end()) {
    constant = found->second;
    terms.erase(found);
  }
  return Dim::from_terms(std::move(terms), constant);
}

Dim whole_atom(const Dim& dim) {
  auto atom = std::make_shared<DimAtom>();
  atom->kind = DimAtom::Kind::floor_div;
  atom->a = dim;
  atom->b = 1;
  return Dim::from_terms({{DimProduct{std::move(atom)}, 1}}, 0);
}

void collect_symbols(const Dim& dim, std::set<std::string>& names) {
  for (const auto& [product, coefficient] : dim.terms()) {
    for (const DimAtomPointer& atom : product) {
      if (atom->kind == DimAtom::Kind::symbol) {
        names.insert(atom->name);
      } else {
        collect_symbols(atom->a, names);
        collect_symbols(atom->b, names);
      }
    }
  }
}

using Lookup = std::function<std::optional<int64_t>(const std::string&)>;

std::optional<int64_t> evaluate_atom(const DimAtom& atom, const Lookup& lookup) {
  if (atom.kind == DimAtom::Kind::symbol) return lookup(atom.name);
  const std::optional<int64_t> a = atom.a.evaluate(lookup);
  const std::optional<int64_t> b = atom.b.evaluate(lookup);
  if (!a || !b) return std::nullopt;
  switch (atom.kind) {
    case DimAtom::Kind::floor_div:
      return checked_floor_divide(*a, *b);
    case DimAtom::Kind::mod:
      return checked_floor_modulo(*a, *b);
    case DimAtom::Kind::minimum:
      return std::min(*a, *b);
    case DimAtom::Kind::maximum:
      return std::max(*a, *b);
    case DimAtom::Kind::symbol:
      break;
  }
  return std::nullopt;
}

Dim substitute_atom(const DimAtomPointer& atom, const std::map<std::string, Dim>& values) {
  if (atom->kind == DimAtom::Kind::symbol) {
    const auto found = values.find(atom->name);
    return found == values.end() ? Dim::from_terms({{DimProduct{atom}, 1}}, 0) : found->second;
  }
  const Dim a = atom->a.substitute(values);
  const Dim b = atom->b.substitute(values);
  switch (atom->kind) {
    case DimAtom::Kind::floor_div:
      return Dim::floor_div(a, b);
    case DimAtom::Kind::mod:
      return Dim::mod(a, b);
    case DimAtom::Kind::minimum:
      return Dim::minimum(a, b);
    case DimAtom::Kind::maximum:
      return Dim::maximum(a, b);
    case DimAtom::Kind::symbol:
      break;
  }
  return 0;
}

}  // namespace

bool DimProductLess::operator()(const DimProduct& a, const DimProduct& b) const {
  return compare(a, b) < 0;
}

Dim Dim::from_terms(Terms terms, int64_t constant) {
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  Dim dim(constant);
  if (!terms.empty()) dim.terms_ = std::make_shared<const Terms>(std::move(terms));
  return dim;
}

Dim Dim::symbol(std::string name) {
  auto atom = std::make_shared<DimAtom>();
  atom->name = std::move(name);
  return from_terms({{DimProduct{std::move(atom)}, 1}}, 0);
}

const Dim::Terms& Dim::terms() const {
  static const Terms empty;
  return terms_ ? *terms_ : empty;
}

std::optional<std::string> Dim::as_symbol() const {
  if (constant_ != 0 || terms().size() != 1) return std::nullopt;
  const auto& [product, coefficient] = *terms().begin();
  if (coefficient != 1 || product.size() != 1) return std::nullopt;
  if (product[0]->kind != DimAtom::Kind::symbol) return std::nullopt;
  return product[0]->name;
}

std::set<std::string> Dim::symbols() const {
  std::set<std::string> names;
  collect_symbols(*this, names);
  return names;
}

Dim operator+(const Dim& a, const Dim& b) {
  const int64_t constant = saturating_add(a.constant_, b.constant_);
  if (a.is_constant() && b.is_constant()) return constant;
  Dim::Terms terms = a.terms();
  for (const auto& [product, coefficient] : b.terms()) {
    int64_t& sum = terms[product];
    sum = saturating_add(sum, coefficient);
  }
  return Dim::from_terms(std::move(terms), constant);
}

Dim operator-(const Dim& a, const Dim& b) {
  const auto subtract = [](int64_t x, int64_t y) {
    int64_t result = 0;
    if (__builtin_sub_overflow(x, y, &result)) return x < 0 ? kInt64Min : kInt64Max;
    return result;
  };
  const int64_t constant = subtract(a.constant_, b.constant_);
  if (a.is_constant() && b.is_constant()) return constant;
  Dim::Terms terms = a.terms();
  for (const auto& [product, coefficient] : b.terms()) {
    int64_t& difference = terms[product];
    difference = subtract(difference, coefficient);
  }
  return Dim::from_terms(std::move(terms), constant);
}

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return saturating_multiply(a.constant_, b.constant_);
  const size_t a_terms = a.terms().size() + 1, b_terms = b.terms().size() + 1;
  if (a_terms > 2 && b_terms > 2 && a_terms * b_terms > kMaximumTerms) {
    return whole_atom(a) * whole_atom(b);
  }
  const Dim::Terms x = polynomial(a), y = polynomial(b);
  Dim::Terms terms;
  for (const auto& [p, c] : x) {
    for (const auto& [q, d] : y) {
      int64_t& sum = terms[multiply(p, q)];
      sum = saturating_add(sum, saturating_multiply(c, d));
    }
  }
  return from_polynomial(std::move(terms));
}

bool operator==(const Dim& a, const Dim& b) { return compare(a, b) == 0; }
bool operator<(const Dim& a, const Dim& b) { return compare(a, b) < 0; }

std::optional<Dim> Dim::exact_div(const Dim& a, const Dim& b) {
  if (b == Dim(0)) return std::nullopt;
  // Long division, leading terms first; a term that does not divide ends it.
  constexpr int kMaximumSteps = 4096;
  const Terms divisor = polynomial(b);
  const auto& [leading_product, leading_coefficient] = *divisor.begin();
  Terms remainder = polynomial(a);
  Terms quotient;
  for (int step = 0; !remainder.empty(); ++step) {
    if (step == kMaximumSteps) return std::nullopt;
    const std::optional<DimProduct> product = divide(remainder.begin()->first, leading_product);
    const std::optional<int64_t> coefficient =
        checked_exact_divide(remainder.begin()->second, leading_coefficient);
    if (!product || !coefficient) return std::nullopt;
    quotient[*product] = *coefficient;
    for (const auto& [p, c] : divisor) {
      const std::optional<int64_t> part = checked_multiply(*coefficient, c);
      const auto entry = remainder.try_emplace(multiply(*product, p), 0).first;
      int64_t rest = 0;
      if (!part || __builtin_sub_overflow(entry->second, *part, &rest)) return std::nullopt;
      entry->second = rest;
      if (rest == 0) remainder.erase(entry);
    }
  }
  return from_polynomial(std::move(quotient));
}

std::optional<int64_t> Dim::evaluate(const Lookup& lookup) const {
  int64_t sum = constant_;
  for (const auto& [product, coefficient] : terms()) {
    int64_t value = coefficient;
    for (const DimAtomPointer& atom : product) {
      const std::optional<int64_t> factor = evaluate_atom(*atom, lookup);
      if (!factor) return std::nullopt;
      const std::optional<int64_t> next = checked_multiply(value, *factor);
      if (!next) return std::nullopt;
      value = *next;
    }
    const std::optional<int64_t> next = checked_add(sum, value);
    if (!next) return std::nullopt;
    sum = *next;
  }
  return sum;
}

Dim Dim::substitute(const std::map<std::string, Dim>& values) const {
  if (is_constant()) return *this;
  Dim sum = constant_;
  for (const auto& [product, coefficient] : terms()) {
    Dim value = coefficient;
    for (const DimAtomPointer& atom : product) value = value * substitute_atom(atom, values);
    sum = sum + value;
  }
  return sum;
}

}  // namespace tenon::ir
