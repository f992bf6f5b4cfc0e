// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/count_operations.h"

#include <unordered_set>

namespace tenon::loop {
namespace {

// Does not walk into the indices of loads and stages, nor below conditions on indices.
void count(const ExprPointer& root, std::unordered_set<const Expr*>& seen, double& total) {
  std::vector<const Expr*> pending = {root.get()};
  while (!pending.empty()) {
    const Expr* node = pending.back();
    pending.pop_back();
    if (!seen.insert(node).second) continue;
    bool leaf = node->op <= ExprOp::reduce;
    bool moves = node->op == ExprOp::cast || node->op == ExprOp::bitcast ||
                 node->op == ExprOp::select || node->type == DataType::boolean;
    if (leaf || (node->type == DataType::boolean && node->args[0]->type == DataType::i64)) continue;
    if (!moves) total += node->op == ExprOp::fused_multiply_add ? 2 : 1;
    for (const ExprPointer& arg : node->args) pending.push_back(arg.get());
  }
}

}  // namespace

double count_operations(const Kernel& kernel, const ir::SymbolRanges& symbols) {
  auto lookup = [&](const std::string& name) -> std::optional<int64_t> {
    auto found = symbols.find(name);
    if (found == symbols.end()) return std::nullopt;
    return found->second.optimum;
  };
  auto value = [&](const Dim& dim) {
    return static_cast<double>(dim.evaluate(lookup).value_or(1));
  };
  double grid = 1;
  for (int i = 0; i < kernel.grid_rank; ++i) grid *= value(kernel.axes[i].extent);
  double total = 0;
  for (const Stage& stage : kernel.stages) {
    double points = grid, here = 0;
    for (int axis : stage.inner_axes) points *= value(kernel.axes[axis].extent);
    std::unordered_set<const Expr*> seen;
    const auto& values = stage.reduction ? stage.reduction->values : stage.values;
    for (const ExprPointer& part : values) count(part, seen, here);
    if (stage.reduction) {
      here += static_cast<double>(values.size());
      for (const auto& axis : stage.reduction->axes) points *= value(axis.extent);
    }
    total += here * points;
  }
  return total;
}

}  // namespace tenon::loop
