// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/linear.h"

#include "builder/loop/expression_compare.h"

namespace tenon::loop {
namespace {

// Shared subexpressions are expanded by this walk, so a budget keeps it from growing without bound.
constexpr int kWalkBudget = 200;

void walk(const ExprPointer& index, const Dim& factor, int& budget, Linear& result) {
  if (auto value = as_dim(index)) {
    result.constant = result.constant + *value * factor;
    return;
  }
  if (--budget > 0) {
    switch (index->op) {
      case ExprOp::add:
        walk(index->args[0], factor, budget, result);
        walk(index->args[1], factor, budget, result);
        return;
      case ExprOp::subtract:
        walk(index->args[0], factor, budget, result);
        walk(index->args[1], Dim(0) - factor, budget, result);
        return;
      case ExprOp::negate:
        walk(index->args[0], Dim(0) - factor, budget, result);
        return;
      case ExprOp::multiply:
        if (auto right = as_dim(index->args[1])) {
          walk(index->args[0], factor * *right, budget, result);
          return;
        }
        if (auto left = as_dim(index->args[0])) {
          walk(index->args[1], factor * *left, budget, result);
          return;
        }
        break;
      default:
        break;
    }
  }
  result.add(index, factor);
}

}  // namespace

void Linear::add(const ExprPointer& term, const Dim& coefficient) {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].term != term && !equal(terms[i].term, term)) continue;
    terms[i].coefficient = terms[i].coefficient + coefficient;
    if (terms[i].coefficient == Dim(0)) terms.erase(terms.begin() + static_cast<int64_t>(i));
    return;
  }
  if (coefficient != Dim(0)) terms.push_back({term, coefficient});
}

void Linear::add(const Linear& other, const Dim& factor) {
  constant = constant + other.constant * factor;
  for (const Term& term : other.terms) add(term.term, term.coefficient * factor);
}

std::optional<Dim> as_dim(const ExprPointer& index) {
  if (index->type != DataType::i64) return std::nullopt;
  if (index->op == ExprOp::constant) return Dim(index->integer);
  if (index->op == ExprOp::dim) return index->dim;
  return std::nullopt;
}

Linear linear(const ExprPointer& index) {
  Linear result;
  int budget = kWalkBudget;
  walk(index, Dim(1), budget, result);
  return result;
}

ExprPointer to_expression(const Linear& sum) {
  ExprPointer result;
  for (const Linear::Term& term : sum.terms) {
    ExprPointer product = term.term * dim_value(term.coefficient);
    result = result ? result + product : product;
  }
  if (!result) return dim_value(sum.constant);
  return sum.constant == Dim(0) ? result : result + dim_value(sum.constant);
}

}  // namespace tenon::loop
