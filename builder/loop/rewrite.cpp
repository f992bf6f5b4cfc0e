// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/rewrite.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tenon::loop {
namespace {

using Change = std::function<ExprPointer(const ExprPointer&)>;
using Rebuilt = std::unordered_map<const Expr*, ExprPointer>;

ExprPointer with_rebuilt_operands(const ExprPointer& node, const Rebuilt& rebuilt) {
  bool same = true;
  for (const ExprPointer& arg : node->args) same &= rebuilt.at(arg.get()) == arg;
  if (same) return node;
  std::vector<ExprPointer> args;
  args.reserve(node->args.size());
  for (const ExprPointer& arg : node->args) args.push_back(rebuilt.at(arg.get()));
  return with_operands(*node, std::move(args));
}

// `rebuilt` keeps sharing between several roots; the caller keeps the roots alive.
ExprPointer rewrite_shared(const ExprPointer& root, const Change& change, Rebuilt& rebuilt) {
  if (auto found = rebuilt.find(root.get()); found != rebuilt.end()) return found->second;
  visit(root, [&](const ExprPointer& node) {
    if (!rebuilt.count(node.get()))
      rebuilt[node.get()] = change(with_rebuilt_operands(node, rebuilt));
  });
  return rebuilt.at(root.get());
}

std::shared_ptr<const Reduction> rewrite_reduction(
    const std::shared_ptr<const Reduction>& reduction,
    const std::function<ExprPointer(const ExprPointer&)>& each) {
  auto result = std::make_shared<Reduction>(*reduction);
  bool same = true;
  for (auto* list : {&result->values, &result->identities, &result->joined}) {
    for (ExprPointer& part : *list) {
      ExprPointer changed = each(part);
      same &= changed == part;
      part = std::move(changed);
    }
  }
  return same ? reduction : result;
}

}  // namespace

ExprPointer with_operands(const Expr& node, std::vector<ExprPointer> args) {
  switch (node.op) {
    case ExprOp::cast:
      return cast(node.type, args[0]);
    case ExprOp::bitcast:
      return bitcast(node.type, args[0]);
    case ExprOp::select:
      return select(args[0], args[1], args[2]);
    case ExprOp::load:
    case ExprOp::stage:
    case ExprOp::fused_multiply_add:
      break;
    default:
      if (args.size() == 1) return unary(node.op, args[0]);
      if (args.size() == 2) return binary(node.op, args[0], args[1]);
      break;
  }
  Expr copy = node;
  copy.args = std::move(args);
  return std::make_shared<const Expr>(std::move(copy));
}

void visit(const ExprPointer& root, const std::function<void(const ExprPointer&)>& visit) {
  // An explicit stack: expressions may be deeper than the call stack.
  std::unordered_set<const Expr*> seen;
  std::vector<std::pair<const ExprPointer*, size_t>> stack;
  if (!root) return;
  seen.insert(root.get());
  stack.push_back({&root, 0});
  while (!stack.empty()) {
    const ExprPointer& node = *stack.back().first;
    size_t next = stack.back().second++;
    if (next == node->args.size()) {
      visit(node);
      stack.pop_back();
    } else if (seen.insert(node->args[next].get()).second) {
      stack.push_back({&node->args[next], 0});
    }
  }
}

ExprPointer rewrite(const ExprPointer& root,
                    const std::function<ExprPointer(const ExprPointer&)>& change) {
  Rebuilt rebuilt;
  return rewrite_shared(root, change, rebuilt);
}

ExprPointer substitute_axes(const ExprPointer& root,
                            const std::map<int, ExprPointer>& replacements) {
  Rebuilt rebuilt;
  // One new reduction for each old one, so that the slots of a reduction stay together.
  std::map<std::shared_ptr<const Reduction>, std::shared_ptr<const Reduction>> reductions;
  Change change = [&](const ExprPointer& node) -> ExprPointer {
    if (node->op == ExprOp::axis) {
      auto found = replacements.find(node->id);
      return found == replacements.end() ? node : found->second;
    }
    if (node->op != ExprOp::reduce) return node;
    auto [entry, fresh] = reductions.try_emplace(node->reduction);
    if (fresh) {
      auto changed = rewrite_reduction(node->reduction, [&](const ExprPointer& part) {
        return rewrite_shared(part, change, rebuilt);
      });
      reductions[node->reduction] = changed;
      return changed == node->reduction ? node : reduce(changed, node->slot);
    }
    return entry->second == node->reduction ? node : reduce(entry->second, node->slot);
  };
  return rewrite_shared(root, change, rebuilt);
}

void rewrite_kernel(Kernel& kernel, const std::function<ExprPointer(const ExprPointer&)>& change) {
  for (Stage& stage : kernel.stages) {
    Rebuilt rebuilt;
    Stage original = stage;  // keeps the old nodes alive while `rebuilt` knows their addresses
    auto each = [&](const ExprPointer& part) { return rewrite_shared(part, change, rebuilt); };
    if (stage.reduction) stage.reduction = rewrite_reduction(stage.reduction, each);
    for (ExprPointer& value : stage.values) value = each(value);
    for (ExprPointer& index : stage.indices) index = each(index);
  }
}

}  // namespace tenon::loop
