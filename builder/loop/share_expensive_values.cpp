// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/affine.h"
#include "builder/loop/expression_compare.h"
#include "builder/loop/extract_stages.h"
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace tenon::loop {
namespace {

// A tile beyond this no longer stays in the first level of cache.
constexpr int64_t kLargestTile = 16384;

bool is_function(const ExprPointer& node) { return node->op >= ExprOp::exp; }

const std::vector<ExprPointer>& roots(const Stage& stage) {
  return stage.reduction ? stage.reduction->values : stage.values;
}

// A value that is wanted only under a condition may load outside its buffer elsewhere.
bool may_run_everywhere(const Kernel& kernel, const ExprPointer& value, const Extents& extents) {
  bool safe = true;
  visit(value, [&](const ExprPointer& node) {
    if (node->op != ExprOp::load) return;
    const ir::Shape& shape = kernel.buffers[node->id].type.shape;
    for (size_t i = 0; i < node->args.size(); ++i) {
      safe = safe && proves_inside(node->args[i], shape[i], extents);
    }
  });
  return safe;
}

// The inner axes of a value, when a tile over them is small enough; else nothing.
std::vector<int> tile_axes(const Kernel& kernel, const ExprPointer& value) {
  std::vector<int> axes;
  int64_t elements = 1;
  for (int axis : axes_of(value)) {
    if (axis < kernel.grid_rank) continue;
    const Dim& extent = kernel.axes[axis].extent;
    if (!extent.is_constant() || extent.constant() > kLargestTile) return {};
    elements *= std::max<int64_t>(extent.constant(), 1);
    if (elements > kLargestTile) return {};
    axes.push_back(axis);
  }
  return axes;
}

struct Candidate {
  ExprPointer value;
  std::vector<int> axes;
  size_t first_stage = 0;
};

// The largest value with a function that two stages compute over the same inner axes.
Candidate find_candidate(const Kernel& kernel, ExpressionTable& table) {
  Extents extents;
  for (size_t i = 0; i < kernel.axes.size(); ++i) {
    extents[static_cast<int>(i)] = kernel.axes[i].extent;
  }
  std::unordered_map<const Expr*, std::set<size_t>> users;
  std::vector<ExprPointer> order;
  for (size_t s = 0; s < kernel.stages.size(); ++s) {
    for (const ExprPointer& root : roots(kernel.stages[s])) {
      std::set<const Expr*> costly;
      visit(table.intern(root), [&](const ExprPointer& node) {
        bool here = is_function(node);
        for (const ExprPointer& arg : node->args) here = here || costly.count(arg.get());
        if (!here || node->op == ExprOp::load || node->op == ExprOp::stage) return;
        costly.insert(node.get());
        auto& stages = users[node.get()];
        if (stages.empty()) order.push_back(node);
        stages.insert(s);
      });
    }
  }
  // Operands come before their users in `order`, so the last is the largest.
  for (size_t i = order.size(); i-- > 0;) {
    const auto& stages = users[order[i].get()];
    if (stages.size() < 2) continue;
    std::vector<int> axes = tile_axes(kernel, order[i]);
    if (axes.empty() || !may_run_everywhere(kernel, order[i], extents)) continue;
    return {order[i], axes, *stages.begin()};
  }
  return {};
}

}  // namespace

void share_expensive_values(Kernel& kernel) {
  for (;;) {
    ExpressionTable table;
    Candidate candidate = find_candidate(kernel, table);
    if (!candidate.value) return;
    int tile = static_cast<int>(candidate.first_stage);
    std::vector<ExprPointer> arguments;
    for (int number : candidate.axes) arguments.push_back(axis(number));
    ExprPointer replacement = stage_value(tile, 0, candidate.value->type, arguments);
    // Stages from the first user on move up by one.
    auto renumber = [&](const ExprPointer& node) -> ExprPointer {
      if (node->op != ExprOp::stage || node->id < tile) return node;
      return stage_value(node->id + 1, node->slot, node->type, node->args);
    };
    auto rebuild = [&](const ExprPointer& root) {
      return rewrite(root, [&](const ExprPointer& node) -> ExprPointer {
        return table.intern(node) == candidate.value ? replacement : renumber(node);
      });
    };
    for (Stage& stage : kernel.stages) {
      if (stage.reduction) {
        auto reduction = std::make_shared<Reduction>(*stage.reduction);
        for (ExprPointer& value : reduction->values) value = rebuild(value);
        stage.reduction = reduction;
      }
      for (ExprPointer& value : stage.values) value = rebuild(value);
    }
    Stage stage;
    stage.inner_axes = candidate.axes;
    stage.values = {candidate.value};
    kernel.stages.insert(kernel.stages.begin() + tile, std::move(stage));
    for (size_t s = 0; s < kernel.stages.size(); ++s)
      kernel.stages[s].name = "s" + std::to_string(s);
  }
}

}  // namespace tenon::loop
