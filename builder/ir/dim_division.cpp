// SPDX-License-Identifier: Apache-2.0
// Division, remainder, minimum and maximum, with the rules that bring them to a normal form.
#include "builder/ir/checked.h"
#include "builder/ir/dim.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tenon::ir {
namespace {

using Kind = DimAtom::Kind;

Dim operation(Kind kind, const Dim& a, const Dim& b) {
  auto atom = std::make_shared<DimAtom>();
  atom->kind = kind;
  atom->a = a;
  atom->b = b;
  return Dim::from_terms({{DimProduct{std::move(atom)}, 1}}, 0);
}

/// The atom when the non-constant part of `dim` is one atom of this kind, once.
const DimAtom* only_atom(const Dim& dim, Kind kind) {
  if (dim.terms().size() != 1) return nullptr;
  const auto& [product, coefficient] = *dim.terms().begin();
  if (coefficient != 1 || product.size() != 1 || product[0]->kind != kind) return nullptr;
  return product[0].get();
}

/// dim = divisor*whole + rest, term by term.
struct Split {
  Dim whole, rest;
};

Split split(const Dim& dim, const Dim& divisor) {
  Split parts;
  for (const auto& [product, coefficient] : dim.terms()) {
    const Dim term = Dim::from_terms({{product, coefficient}}, 0);
    if (const std::optional<Dim> quotient = Dim::exact_div(term, divisor)) {
      parts.whole = parts.whole + *quotient;
    } else {
      parts.rest = parts.rest + term;
    }
  }
  if (divisor.is_constant()) {
    parts.whole = parts.whole + *checked_floor_divide(dim.constant(), divisor.constant());
    parts.rest = parts.rest + *checked_floor_modulo(dim.constant(), divisor.constant());
  } else {
    parts.rest = parts.rest + dim.constant();
  }
  return parts;
}

/// The greatest common divisor of `number` and all coefficients but the constant.
int64_t common_divisor(const Dim& dim, int64_t number) {
  for (const auto& [product, coefficient] : dim.terms()) {
    if (coefficient == kInt64Min) return 1;
    number = std::gcd(number, coefficient);
  }
  return number;
}

/// Divides all coefficients, which must be multiples, and the constant, rounding down.
Dim scale_down(const Dim& dim, int64_t divisor) {
  Dim::Terms terms = dim.terms();
  for (auto& [product, coefficient] : terms) coefficient /= divisor;
  return Dim::from_terms(std::move(terms), *checked_floor_divide(dim.constant(), divisor));
}

/// True when dim is mod(x, m) plus a constant and lies in 0..bound-1.
bool is_small_remainder(const Dim& dim, int64_t bound) {
  const DimAtom* atom = only_atom(dim, Kind::mod);
  if (!atom || !atom->b.is_constant() || atom->b.constant() <= 0 || dim.constant() < 0) {
    return false;
  }
  const std::optional<int64_t> largest = checked_add(dim.constant(), atom->b.constant() - 1);
  return largest && *largest < bound;
}

Dim floor_div_by_constant(const Dim& a, int64_t divisor) {
  if (divisor == 0) return 0;
  if (divisor == 1) return a;
  if (a.is_constant()) return checked_floor_divide(a.constant(), divisor).value_or(kInt64Max);
  if (divisor == kInt64Min) return operation(Kind::floor_div, a, divisor);
  if (divisor < 0) return Dim::floor_div(Dim(0) - a, -divisor);

  auto [whole, rest] = split(a, divisor);
  if (rest.is_constant()) return whole;
  // floor((g*t + c) / (g*d)) = floor((t + floor(c/g)) / d)
  if (const int64_t common = common_divisor(rest, divisor); common > 1) {
    rest = scale_down(rest, common);
    divisor /= common;
  }
  // floor((floor(x/c) + k) / d) = floor((x + k*c) / (c*d))
  const DimAtom* inner = only_atom(rest, Kind::floor_div);
  if (inner && inner->b.is_constant() && inner->b.constant() > 1) {
    const std::optional<int64_t> product = checked_multiply(inner->b.constant(), divisor);
    const std::optional<int64_t> offset = checked_multiply(inner->b.constant(), rest.constant());
    if (product && offset) return whole + Dim::floor_div(inner->a + *offset, *product);
  }
  if (is_small_remainder(rest, divisor)) return whole;
  return whole + operation(Kind::floor_div, rest, divisor);
}

Dim mod_by_constant(const Dim& a, int64_t divisor) {
  if (divisor == 0) return a;
  if (a.is_constant()) return *checked_floor_modulo(a.constant(), divisor);
  if (divisor == kInt64Min) return operation(Kind::mod, a, divisor);
  if (divisor < 0) return Dim(0) - Dim::mod(Dim(0) - a, -divisor);

  Dim::Terms terms = a.terms();
  for (auto& [product, coefficient] : terms) {
    coefficient = *checked_floor_modulo(coefficient, divisor);
  }
  Dim rest = Dim::from_terms(std::move(terms), *checked_floor_modulo(a.constant(), divisor));
  if (rest.is_constant()) return rest;
  // mod(g*t + c, g*d) = g*mod(t + floor(c/g), d) + mod(c, g)
  const int64_t common = common_divisor(rest, divisor);
  const int64_t offset = rest.constant() % common;
  rest = scale_down(rest, common);
  divisor /= common;
  const Dim remainder =
      is_small_remainder(rest, divisor) ? rest : operation(Kind::mod, rest, divisor);
  return remainder * common + offset;
}

void flatten(const Dim& dim, Kind kind, std::vector<Dim>& operands) {
  const DimAtom* atom = dim.constant() == 0 ? only_atom(dim, kind) : nullptr;
  if (atom) {
    flatten(atom->a, kind, operands);
    flatten(atom->b, kind, operands);
    return;
  }
  // Of two operands whose difference is constant one is always the extreme.
  for (Dim& other : operands) {
    const Dim difference = dim - other;
    if (!difference.is_constant()) continue;
    if ((difference.constant() < 0) == (kind == Kind::minimum)) other = dim;
    return;
  }
  operands.push_back(dim);
}

Dim extreme(Kind kind, const Dim& a, const Dim& b) {
  std::vector<Dim> operands;
  flatten(a, kind, operands);
  flatten(b, kind, operands);
  std::sort(operands.begin(), operands.end());
  Dim result = operands.back();
  for (size_t i = operands.size() - 1; i-- > 0;) result = operation(kind, operands[i], result);
  return result;
}

}  // namespace

Dim Dim::floor_div(const Dim& a, const Dim& b) {
  if (b.is_constant()) return floor_div_by_constant(a, b.constant_);
  if (const std::optional<Dim> quotient = exact_div(a, b)) return *quotient;
  if (b.terms().size() == 1 && b.constant_ == 0) {
    const auto [whole, rest] = split(a, b);
    return whole + operation(Kind::floor_div, rest, b);
  }
  return operation(Kind::floor_div, a, b);
}

Dim Dim::ceil_div(const Dim& a, const Dim& b) {
  if (!b.is_constant() || b.constant_ == kInt64Min) return Dim(0) - floor_div(Dim(0) - a, b);
  const int64_t divisor = b.constant_;
  if (a.is_constant()) {
    const std::optional<int64_t> quotient = checked_floor_divide(a.constant_, divisor);
    if (!quotient) return divisor == 0 ? 0 : kInt64Max;
    return *quotient + (*checked_floor_modulo(a.constant_, divisor) != 0 ? 1 : 0);
  }
  if (divisor < 0) return ceil_div(Dim(0) - a, -divisor);
  return divisor == 0 ? Dim(0) : floor_div(a + (divisor - 1), b);
}

Dim Dim::mod(const Dim& a, const Dim& b) {
  if (b.is_constant()) return mod_by_constant(a, b.constant_);
  if (exact_div(a, b)) return 0;
  if (b.terms().size() == 1 && b.constant_ == 0) {
    return operation(Kind::mod, split(a, b).rest, b);
  }
  return operation(Kind::mod, a, b);
}

Dim Dim::minimum(const Dim& a, const Dim& b) { return extreme(Kind::minimum, a, b); }
Dim Dim::maximum(const Dim& a, const Dim& b) { return extreme(Kind::maximum, a, b); }

}  // namespace tenon::ir
