// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/guards.h"

#include <functional>

namespace tenon::codegen {

using loop::Expr;
using loop::ExprOp;
using loop::ExprPointer;

Guards::Guards(const std::vector<ExprPointer>& roots) {
  for (const auto& root : roots) order(root);
  for (const auto& root : roots) reach(root.get(), nullptr);
  for (auto node = ordered_.rbegin(); node != ordered_.rend(); ++node) {
    const Expr& expression = **node;
    const ExprPointer condition = conditions_[&expression];
    for (size_t i = 0; i < expression.args.size(); ++i) {
      const auto& operand = expression.args[i];
      if (!loads_below_.count(operand.get())) {
        reach(operand.get(), nullptr);
      } else if (expression.op != ExprOp::select || i == 0) {
        reach(operand.get(), condition);
      } else {
        const auto& test = expression.args[0];
        reach(operand.get(), both(condition, i == 1 ? test : complement(test)));
      }
    }
  }
  for (const auto& node : ordered_) {
    bool tainted = node->op == ExprOp::load && conditions_[node.get()];
    for (const auto& operand : node->args) tainted |= tainted_.count(operand.get()) != 0;
    if (tainted) tainted_.insert(node.get());
  }
}

const ExprPointer& Guards::of(const Expr* load) const {
  static const ExprPointer always;
  auto found = conditions_.find(load);
  return found == conditions_.end() ? always : found->second;
}

void Guards::order(const ExprPointer& node) {
  if (!seen_.insert(node.get()).second) return;
  bool loads = node->op == ExprOp::load;
  for (const auto& operand : node->args) {
    order(operand);
    loads |= loads_below_.count(operand.get()) != 0;
  }
  if (loads) loads_below_.insert(node.get());
  ordered_.push_back(node);
}

void Guards::reach(const Expr* node, const ExprPointer& condition) {
  if (reached_.insert(node).second) {
    conditions_[node] = condition;
    return;
  }
  ExprPointer& known = conditions_[node];
  if (known) known = condition ? either(known, condition) : nullptr;
}

ExprPointer Guards::either(const ExprPointer& known, ExprPointer condition) {
  std::vector<ExprPointer> terms;
  const std::function<void(const ExprPointer&)> split = [&](const ExprPointer& expression) {
    if (expression->op != ExprOp::bit_or) return terms.push_back(expression);
    for (const auto& operand : expression->args) split(operand);
  };
  split(known);
  for (size_t i = 0; i < terms.size();) {
    const ExprPointer term = terms[i];
    // c or (c and d) => c
    if (implies(condition, term)) return known;
    // c or not c => always;  (g and c) or (g and not c) => g
    if (complement(term) == condition) return nullptr;
    const bool halves = term->op == ExprOp::bit_and && condition->op == ExprOp::bit_and &&
                        term->args[0] == condition->args[0] &&
                        complement(term->args[1]) == condition->args[1];
    if (halves) condition = term->args[0];
    if (!implies(term, condition)) {
      ++i;
      continue;
    }
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
    // A wider condition may swallow terms that it met before.
    if (halves) i = 0;
  }
  for (const ExprPointer& term : terms) {
    condition = loop::binary(ExprOp::bit_or, term, condition);
    kept_.push_back(condition);
  }
  return condition;
}

bool Guards::implies(const ExprPointer& a, const ExprPointer& b) {
  if (a == b) return true;
  auto [found, added] = implications_.try_emplace({a.get(), b.get()}, false);
  if (!added) return found->second;
  bool result = false;
  if (a->op == ExprOp::bit_or) {
    result = implies(a->args[0], b) && implies(a->args[1], b);
  } else if (a->op == ExprOp::bit_and) {
    result = implies(a->args[0], b) || implies(a->args[1], b);
  }
  if (!result && b->op == ExprOp::bit_or) result = implies(a, b->args[0]) || implies(a, b->args[1]);
  if (!result && b->op == ExprOp::bit_and) {
    result = implies(a, b->args[0]) && implies(a, b->args[1]);
  }
  return found->second = result;
}

ExprPointer Guards::both(const ExprPointer& a, const ExprPointer& b) {
  if (!a || a == b) return b;
  auto& result = conjunctions_[{a.get(), b.get()}];
  if (!result) result = loop::binary(ExprOp::bit_and, a, b);
  return result;
}

ExprPointer Guards::complement(const ExprPointer& condition) {
  auto& result = complements_[condition.get()];
  if (!result) {
    result = loop::unary(ExprOp::bit_not, condition);
    complements_[result.get()] = condition;
  }
  return result;
}

}  // namespace tenon::codegen
