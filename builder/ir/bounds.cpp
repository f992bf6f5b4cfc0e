// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic on dims. The least and the greatest int64 stand for minus and plus infinity.
#include "builder/ir/checked.h"
#include "builder/ir/dim.h"

#include <algorithm>

namespace tenon::ir {
namespace {

constexpr Interval kEverything{kInt64Min, kInt64Max};

bool is_infinite(int64_t value) { return value == kInt64Min || value == kInt64Max; }

int64_t multiply_end(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (is_infinite(a) || is_infinite(b)) return (a < 0) != (b < 0) ? kInt64Min : kInt64Max;
  return saturating_multiply(a, b);
}

int64_t divide_end(int64_t a, int64_t b) {
  if (is_infinite(b)) return a == 0 || (a < 0) == (b < 0) ? 0 : -1;
  if (is_infinite(a)) return (a < 0) != (b < 0) ? kInt64Min : kInt64Max;
  return *checked_floor_divide(a, b);
}

int64_t negate_end(int64_t value) {
  if (value == kInt64Min) return kInt64Max;
  return value == kInt64Max ? kInt64Min : -value;
}

/// The hull of an operation that is monotone in each operand.
template <typename Operation>
Interval corners(Interval a, Interval b, Operation operation) {
  const auto [low, high] =
      std::minmax({operation(a.minimum, b.minimum), operation(a.minimum, b.maximum),
                   operation(a.maximum, b.minimum), operation(a.maximum, b.maximum)});
  return {low, high};
}

Interval add(Interval a, Interval b) {
  const auto end = [](int64_t x, int64_t y, int64_t infinity) {
    return x == infinity || y == infinity ? infinity : saturating_add(x, y);
  };
  return {end(a.minimum, b.minimum, kInt64Min), end(a.maximum, b.maximum, kInt64Max)};
}

Interval multiply(Interval a, Interval b) { return corners(a, b, multiply_end); }

Interval floor_divide(Interval a, Interval b) {
  if (b.minimum < 0 && b.maximum > 0) {
    const int64_t largest = std::max(a.maximum, negate_end(a.minimum));
    const int64_t magnitude = std::max(largest, std::max(negate_end(a.maximum), a.minimum));
    return {negate_end(magnitude), magnitude};
  }
  // A divisor is never zero.
  if (b.minimum == 0) b.minimum = 1;
  if (b.maximum == 0) b.maximum = -1;
  if (b.minimum > b.maximum) return kEverything;
  return corners(a, b, divide_end);
}

Interval modulo(Interval a, Interval b) {
  if (b.minimum > 0 && a.minimum >= 0 && a.maximum < b.minimum) return a;
  Interval result{b.minimum < 0 ? saturating_add(b.minimum, 1) : 0,
                  b.maximum > 0 ? b.maximum - (is_infinite(b.maximum) ? 0 : 1) : 0};
  if (b.minimum == kInt64Min) result.minimum = kInt64Min;
  // With operands of one sign the remainder is not beyond the dividend.
  if (a.minimum >= 0 && b.minimum >= 0) result.maximum = std::min(result.maximum, a.maximum);
  return result;
}

Interval interval_of(const Dim& dim, const SymbolRanges& ranges);

Interval interval_of(const DimAtom& atom, const SymbolRanges& ranges) {
  if (atom.kind == DimAtom::Kind::symbol) {
    const auto found = ranges.find(atom.name);
    if (found == ranges.end()) return kEverything;
    return {found->second.minimum, found->second.maximum < 0 ? kInt64Max : found->second.maximum};
  }
  const Interval a = interval_of(atom.a, ranges);
  const Interval b = interval_of(atom.b, ranges);
  switch (atom.kind) {
    case DimAtom::Kind::floor_div:
      return floor_divide(a, b);
    case DimAtom::Kind::mod:
      return modulo(a, b);
    case DimAtom::Kind::minimum:
      return {std::min(a.minimum, b.minimum), std::min(a.maximum, b.maximum)};
    case DimAtom::Kind::maximum:
      return {std::max(a.minimum, b.minimum), std::max(a.maximum, b.maximum)};
    case DimAtom::Kind::symbol:
      break;
  }
  return kEverything;
}

Interval interval_of(const Dim& dim, const SymbolRanges& ranges) {
  Interval sum{dim.constant(), dim.constant()};
  for (const auto& [product, coefficient] : dim.terms()) {
    Interval term{coefficient, coefficient};
    for (const DimAtomPointer& atom : product) term = multiply(term, interval_of(*atom, ranges));
    sum = add(sum, term);
  }
  return sum;
}

}  // namespace

std::optional<Interval> bounds(const Dim& dim, const SymbolRanges& ranges) {
  const Interval interval = interval_of(dim, ranges);
  if (interval.maximum == kInt64Max) return std::nullopt;
  return interval;
}

namespace {

int64_t evaluate_at(const Dim& dim, const SymbolRanges& ranges, int64_t SymbolRange::*bound) {
  const auto value = dim.evaluate([&](const std::string& name) -> std::optional<int64_t> {
    const auto found = ranges.find(name);
    if (found == ranges.end()) return std::nullopt;
    return found->second.*bound;
  });
  return value.value_or(0);
}

}  // namespace

int64_t at_optimum(const Dim& dim, const SymbolRanges& ranges) {
  return evaluate_at(dim, ranges, &SymbolRange::optimum);
}

int64_t at_maximum(const Dim& dim, const SymbolRanges& ranges) {
  return evaluate_at(dim, ranges, &SymbolRange::maximum);
}

}  // namespace tenon::ir
