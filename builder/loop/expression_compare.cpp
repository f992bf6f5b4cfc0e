// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/expression_compare.h"

#include "builder/loop/rewrite.h"

#include <bit>
#include <functional>

namespace tenon::loop {
namespace {

size_t mix(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

bool same_real(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool is_leaf(const Expr& expression) { return expression.args.empty() && !expression.reduction; }

bool same_fields(const Expr& a, const Expr& b) {
  return a.op == b.op && a.type == b.type && same_real(a.real, b.real) && a.integer == b.integer &&
         a.id == b.id && a.slot == b.slot && a.dim == b.dim && a.args.size() == b.args.size();
}

}  // namespace

size_t ExpressionTable::shallow_hash(const Expr& e) {
  size_t seed = mix(static_cast<size_t>(e.op), static_cast<size_t>(e.type));
  seed = mix(seed, std::hash<uint64_t>()(std::bit_cast<uint64_t>(e.real)));
  seed = mix(seed, std::hash<int64_t>()(e.integer));
  seed = mix(mix(seed, static_cast<size_t>(e.id)), static_cast<size_t>(e.slot));
  if (e.op == ExprOp::dim) seed = mix(seed, std::hash<std::string>()(e.dim.to_string()));
  for (const ExprPointer& arg : e.args) seed = mix(seed, hashes_.at(arg.get()));
  if (e.reduction) {
    seed = mix(seed, static_cast<size_t>(e.reduction->combiner));
    for (const auto& axis : e.reduction->axes) seed = mix(seed, static_cast<size_t>(axis.axis));
    for (const ExprPointer& value : e.reduction->values) seed = mix(seed, hashes_.at(value.get()));
  }
  return seed;
}

bool ExpressionTable::shallow_equal(const Expr& a, const Expr& b) const {
  if (!same_fields(a, b) || a.args != b.args) return false;
  if (a.reduction == b.reduction) return true;
  if (!a.reduction || !b.reduction) return false;
  const Reduction& x = *a.reduction;
  const Reduction& y = *b.reduction;
  if (x.combiner != y.combiner || x.axes.size() != y.axes.size() || x.values != y.values ||
      x.identities != y.identities || x.joined != y.joined) {
    return false;
  }
  for (size_t i = 0; i < x.axes.size(); ++i) {
    if (x.axes[i].axis != y.axes[i].axis || x.axes[i].extent != y.axes[i].extent) return false;
  }
  return true;
}

ExprPointer ExpressionTable::with_representatives(const ExprPointer& node) {
  if (is_leaf(*node)) return node;
  Expr copy = *node;
  bool changed = false;
  auto replace = [&](ExprPointer& part) {
    const ExprPointer& representative = known_.at(part.get());
    changed |= representative != part;
    part = representative;
  };
  for (ExprPointer& arg : copy.args) replace(arg);
  if (node->reduction) {
    auto reduction = std::make_shared<Reduction>(*node->reduction);
    bool operands_changed = changed;
    changed = false;
    for (auto* list : {&reduction->values, &reduction->identities, &reduction->joined}) {
      for (ExprPointer& part : *list) {
        part = intern(part);
      }
    }
    changed = operands_changed || reduction->values != node->reduction->values ||
              reduction->identities != node->reduction->identities ||
              reduction->joined != node->reduction->joined;
    copy.reduction = reduction;
  }
  return changed ? std::make_shared<const Expr>(std::move(copy)) : node;
}

ExprPointer ExpressionTable::intern(const ExprPointer& root) {
  if (auto found = known_.find(root.get()); found != known_.end()) return found->second;
  visit(root, [&](const ExprPointer& node) {
    if (known_.count(node.get())) return;
    ExprPointer candidate = with_representatives(node);
    size_t key = shallow_hash(*candidate);
    ExprPointer representative;
    auto [begin, end] = table_.equal_range(key);
    for (auto entry = begin; entry != end && !representative; ++entry) {
      if (shallow_equal(*entry->second, *candidate)) representative = entry->second;
    }
    if (!representative) {
      representative = candidate;
      table_.emplace(key, candidate);
      hashes_[candidate.get()] = key;
    }
    known_[node.get()] = representative;
    known_[representative.get()] = representative;
    kept_.push_back(node);
    kept_.push_back(representative);
  });
  return known_.at(root.get());
}

bool equal(const ExprPointer& a, const ExprPointer& b) {
  if (a == b) return true;
  if (!same_fields(*a, *b)) return false;
  if (is_leaf(*a) && is_leaf(*b)) return true;
  ExpressionTable table;
  return table.intern(a) == table.intern(b);
}

size_t hash(const ExprPointer& expression) {
  ExpressionTable table;
  return table.hashes_.at(table.intern(expression).get());
}

}  // namespace tenon::loop
