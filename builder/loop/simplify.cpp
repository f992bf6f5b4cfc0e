// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/simplify.h"

#include "builder/loop/linear.h"
#include "builder/loop/rewrite.h"

#include <memory>
#include <numeric>
#include <optional>

namespace tenon::loop {
namespace {

bool nonnegative(const Dim& dim);

bool nonnegative(const ir::DimAtom& atom) {
  switch (atom.kind) {
    case ir::DimAtom::Kind::symbol:
      return true;
    case ir::DimAtom::Kind::floor_div:
      return nonnegative(atom.a) && nonnegative(atom.b);
    case ir::DimAtom::Kind::mod:
      return nonnegative(atom.b);
    case ir::DimAtom::Kind::minimum:
      return nonnegative(atom.a) && nonnegative(atom.b);
    case ir::DimAtom::Kind::maximum:
      return nonnegative(atom.a) || nonnegative(atom.b);
  }
  return false;
}

bool nonnegative(const Dim& dim) {
  if (dim.constant() < 0) return false;
  for (const auto& [product, factor] : dim.terms()) {
    if (factor < 0) return false;
    for (const auto& atom : product) {
      if (!nonnegative(*atom)) return false;
    }
  }
  return true;
}

struct Range {
  Dim minimum, maximum;
};

std::optional<Range> range_of(const ExprPointer& index, const Extents& extents);

std::optional<Range> range_of(const Linear& sum, const Extents& extents) {
  Range result{sum.constant, sum.constant};
  for (const Linear::Term& term : sum.terms) {
    auto range = range_of(term.term, extents);
    if (!range) return std::nullopt;
    bool positive = nonnegative(term.coefficient);
    if (!positive && !nonnegative(Dim(0) - term.coefficient)) return std::nullopt;
    result.minimum =
        result.minimum + (positive ? range->minimum : range->maximum) * term.coefficient;
    result.maximum =
        result.maximum + (positive ? range->maximum : range->minimum) * term.coefficient;
  }
  return result;
}

std::optional<Range> range_of(const ExprPointer& index, const Extents& extents) {
  if (auto value = as_dim(index)) return Range{*value, *value};
  switch (index->op) {
    case ExprOp::axis: {
      auto found = extents.find(index->id);
      if (found == extents.end()) return std::nullopt;
      return Range{0, found->second - Dim(1)};
    }
    case ExprOp::add:
    case ExprOp::subtract:
    case ExprOp::multiply:
    case ExprOp::negate: {
      Linear sum = linear(index);
      if (sum.terms.size() == 1 && sum.terms[0].term == index) return std::nullopt;
      return range_of(sum, extents);
    }
    case ExprOp::floor_modulo: {
      auto divisor = as_dim(index->args[1]);
      if (!divisor) return std::nullopt;
      return Range{0, *divisor - Dim(1)};
    }
    case ExprOp::floor_divide: {
      auto divisor = as_dim(index->args[1]);
      auto range = range_of(index->args[0], extents);
      if (!divisor || !range || !nonnegative(*divisor)) return std::nullopt;
      return Range{Dim::floor_div(range->minimum, *divisor),
                   Dim::floor_div(range->maximum, *divisor)};
    }
    case ExprOp::minimum:
    case ExprOp::maximum:
    case ExprOp::select: {
      bool chosen = index->op == ExprOp::select;
      auto a = range_of(index->args[chosen ? 1 : 0], extents);
      auto b = range_of(index->args[chosen ? 2 : 1], extents);
      if (!a || !b) return std::nullopt;
      bool smaller = index->op == ExprOp::minimum, larger = index->op == ExprOp::maximum;
      return Range{
          larger ? Dim::maximum(a->minimum, b->minimum) : Dim::minimum(a->minimum, b->minimum),
          smaller ? Dim::minimum(a->maximum, b->maximum) : Dim::maximum(a->maximum, b->maximum)};
    }
    default:
      return std::nullopt;
  }
}

bool inside(const std::optional<Range>& range, const Dim& extent) {
  return range && nonnegative(range->minimum) && nonnegative(extent - Dim(1) - range->maximum);
}

// A step g that divides the divisor and some terms, while the others stay inside [0, g):
//   floor_divide(g*a + b, g*k) => floor_divide(a, k),  floor_modulo(g*a + b, g*k) => g*(a mod k) +
//   b
ExprPointer divide_by_step(const ExprPointer& node, const Extents& extents) {
  Linear sum = linear(node->args[0]);
  auto divisor = as_dim(node->args[1]);
  if (!divisor) return nullptr;
  for (const Linear::Term& candidate : sum.terms) {
    Dim step = candidate.coefficient;
    if (step.is_constant() && divisor->is_constant()) {
      step = std::gcd(step.constant(), divisor->constant());
    }
    auto rest_divisor = Dim::exact_div(*divisor, step);
    if (step == Dim(1) || !nonnegative(step) || !rest_divisor) continue;
    Linear multiple, rest;
    for (const Linear::Term& term : sum.terms) {
      if (auto exact = Dim::exact_div(term.coefficient, step)) {
        multiple.terms.push_back({term.term, *exact});
      } else {
        rest.terms.push_back(term);
      }
    }
    rest.constant = sum.constant;
    if (!inside(range_of(rest, extents), step)) continue;
    ExprPointer part = binary(node->op, to_expression(multiple), dim_value(*rest_divisor));
    if (node->op == ExprOp::floor_divide) return part;
    return part * dim_value(step) + to_expression(rest);
  }
  return nullptr;
}

ExprPointer simplify_node(const ExprPointer& node, const Extents& extents);

ExprPointer simplify_division(const ExprPointer& node, const Extents& extents) {
  auto divisor = as_dim(node->args[1]);
  if (divisor && inside(range_of(node->args[0], extents), *divisor)) {
    return node->op == ExprOp::floor_divide ? index_constant(0) : node->args[0];
  }
  ExprPointer smaller = divide_by_step(node, extents);
  if (!smaller || smaller->op != node->op) return smaller ? smaller : node;
  return simplify_node(smaller, extents);
}

ExprPointer simplify_order(const ExprPointer& node, const Extents& extents) {
  Linear difference = linear(node->args[1]);
  difference.add(linear(node->args[0]), Dim(-1));
  auto range = range_of(difference, extents);
  if (!range) return node;
  bool ordered = nonnegative(range->minimum);                      // a <= b
  bool reversed = nonnegative(Dim(0) - range->maximum);            // b <= a
  bool strictly_ordered = nonnegative(range->minimum - Dim(1));    // a < b
  bool strictly_reversed = nonnegative(Dim(-1) - range->maximum);  // b < a
  auto boolean = [](bool value) { return integer_constant(DataType::boolean, value); };
  switch (node->op) {
    case ExprOp::less:
      return strictly_ordered ? boolean(true) : reversed ? boolean(false) : node;
    case ExprOp::less_equal:
      return ordered ? boolean(true) : strictly_reversed ? boolean(false) : node;
    case ExprOp::equal:
      return strictly_ordered || strictly_reversed ? boolean(false) : node;
    case ExprOp::minimum:
      return ordered ? node->args[0] : reversed ? node->args[1] : node;
    case ExprOp::maximum:
      return ordered ? node->args[1] : reversed ? node->args[0] : node;
    default:
      return node;
  }
}

ExprPointer simplify_node(const ExprPointer& node, const Extents& extents) {
  if (node->args.size() != 2 || node->args[0]->type != DataType::i64) return node;
  switch (node->op) {
    case ExprOp::floor_divide:
    case ExprOp::floor_modulo:
      return simplify_division(node, extents);
    case ExprOp::less:
    case ExprOp::less_equal:
    case ExprOp::equal:
    case ExprOp::minimum:
    case ExprOp::maximum:
      return simplify_order(node, extents);
    default:
      return node;
  }
}

ExprPointer simplify_once(const ExprPointer& expression, const Extents& extents) {
  std::map<std::shared_ptr<const Reduction>, std::shared_ptr<const Reduction>> reductions;
  std::function<ExprPointer(const ExprPointer&)> change = [&](const ExprPointer& node) {
    if (node->op != ExprOp::reduce) return simplify_node(node, extents);
    auto [entry, fresh] = reductions.try_emplace(node->reduction);
    if (fresh) {
      auto changed = std::make_shared<Reduction>(*node->reduction);
      for (ExprPointer& value : changed->values) value = rewrite(value, change);
      bool same = changed->values == node->reduction->values;
      reductions[node->reduction] = same ? node->reduction : changed;
    }
    const auto& changed = reductions[node->reduction];
    return changed == node->reduction ? node : reduce(changed, node->slot);
  };
  return rewrite(expression, change);
}

}  // namespace

ExprPointer simplify(const ExprPointer& expression, const Extents& extents) {
  // Folding while rebuilding may make new nodes below the one at hand, so passes repeat until
  // nothing changes.
  constexpr int kMaximumPasses = 8;
  ExprPointer result = expression;
  for (int pass = 0; pass < kMaximumPasses; ++pass) {
    ExprPointer next = simplify_once(result, extents);
    if (next == result) break;
    result = std::move(next);
  }
  return result;
}

bool proves_inside(const ExprPointer& index, const Dim& extent, const Extents& extents) {
  return inside(range_of(index, extents), extent);
}

bool proves_outside(const ExprPointer& index, const Dim& extent, const Extents& extents) {
  // Only constants: the range of a symbolic sum may be wider than what is reached.
  auto value = as_dim(index);
  if (!value && index->op != ExprOp::axis) return false;
  auto range = range_of(index, extents);
  if (!range) return false;
  return nonnegative(Dim(-1) - range->minimum) || nonnegative(range->maximum - extent);
}

}  // namespace tenon::loop
