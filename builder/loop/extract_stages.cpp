// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/extract_stages.h"

#include "builder/loop/affine.h"
#include "builder/loop/expression_compare.h"
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tenon::loop {
namespace {

using Visited = std::unordered_set<const Reduction*>;

// Keeps of `grid` the axes that every reduction inside `root` depends on. An axis of one position stays:
// indices by it are folded to 0, so nothing seems to depend on it, and computing at it repeats nothing.
void restrict_grid(const ExprPointer& root, const Extents& extents, std::vector<int>& grid,
                   Visited& visited) {
  visit(root, [&](const ExprPointer& node) {
    if (node->op != ExprOp::reduce || !visited.insert(node->reduction.get()).second) return;
    std::vector<int> used = axes_of(reduce(node->reduction));
    std::erase_if(grid, [&](int a) {
      return extents.at(a) != Dim(1) && !std::binary_search(used.begin(), used.end(), a);
    });
    for (const ExprPointer& value : node->reduction->values) {
      restrict_grid(value, extents, grid, visited);
    }
  });
}

std::vector<int> common_axes(const std::vector<OutputExpression>& outputs) {
  std::vector<int> common = outputs.front().axes;
  for (const OutputExpression& output : outputs) {
    std::erase_if(common, [&](int axis) {
      return std::find(output.axes.begin(), output.axes.end(), axis) == output.axes.end();
    });
  }
  return common;
}

// Reductions whose value is wanted at every point: those not on a chosen side of a select only.
void gather_unconditional(const ExprPointer& root, Visited& reductions,
                          std::unordered_set<const Expr*>& seen) {
  std::vector<const Expr*> pending = {root.get()};
  while (!pending.empty()) {
    const Expr* node = pending.back();
    pending.pop_back();
    if (!seen.insert(node).second) continue;
    size_t operands = node->op == ExprOp::select ? 1 : node->args.size();
    for (size_t i = 0; i < operands; ++i) pending.push_back(node->args[i].get());
    if (node->op != ExprOp::reduce || !reductions.insert(node->reduction.get()).second) continue;
    for (const ExprPointer& value : node->reduction->values) {
      gather_unconditional(value, reductions, seen);
    }
  }
}

class Extraction {
 public:
  Extraction(Kernel& kernel, const Extents& extents) : kernel_(kernel), extents_(extents) {}

  void run(const std::vector<OutputExpression>& outputs) {
    grid_ = common_axes(outputs);
    Visited visited;
    std::unordered_set<const Expr*> seen;
    for (const OutputExpression& output : outputs) {
      restrict_grid(output.value, extents_, grid_, visited);
      gather_unconditional(output.value, unconditional_, seen);
    }
    for (const OutputExpression& output : outputs) add_output(output);
    number_axes();
  }

 private:
  // A stage as seen from its users: arguments in the order of its inner axes.
  struct Call {
    int stage = 0;
    std::vector<ExprPointer> arguments;
  };
  struct KnownReduction {
    int stage = 0;
    std::vector<ExprPointer> key;
    std::vector<Dim> extents;
    Combiner combiner = Combiner::sum;
    size_t inner_count = 0;
  };

  bool in_grid(int axis) const {
    return std::find(grid_.begin(), grid_.end(), axis) != grid_.end();
  }

  ExprPointer process(const ExprPointer& root) {
    auto known = processed_.find(root.get());
    if (known != processed_.end()) return known->second;
    ExprPointer result = rewrite(root, [&](const ExprPointer& node) {
      if (node->op != ExprOp::reduce) return node;
      const Call& call = call_of(node->reduction);
      return stage_value(call.stage, node->slot, node->type, call.arguments);
    });
    processed_[root.get()] = result;
    return result;
  }

  const Call& call_of(const std::shared_ptr<const Reduction>& reduction) {
    if (auto known = calls_.find(reduction.get()); known != calls_.end()) return known->second;
    auto body = std::make_shared<Reduction>(*reduction);
    std::set<int> used;
    for (ExprPointer& value : body->values) {
      value = process(value);
      if (!unconditional_.count(reduction.get())) value = clamp_loads(value);
      for (int axis : axes_of(value)) used.insert(axis);
    }
    for (const auto& own : body->axes) used.erase(own.axis);
    std::vector<int> inner;
    for (int axis : used) {
      if (!in_grid(axis)) inner.push_back(axis);
    }
    Call call;
    for (int axis_number : inner) call.arguments.push_back(axis(axis_number));
    call.stage = stage_of(body, inner);
    return calls_[reduction.get()] = std::move(call);
  }

  // A stage runs at every point, so a reduction wanted only under a condition must load inside its
  // buffers elsewhere too; what it gives there is not used.
  ExprPointer clamp_loads(const ExprPointer& root) {
    return rewrite(root, [&](const ExprPointer& node) {
      if (node->op != ExprOp::load) return node;
      const ir::Shape& shape = kernel_.buffers[node->id].type.shape;
      std::vector<ExprPointer> indices = node->args;
      for (size_t i = 0; i < indices.size(); ++i) {
        if (proves_inside(indices[i], shape[i], extents_)) continue;
        ExprPointer low = binary(ExprOp::maximum, indices[i], index_constant(0));
        indices[i] = simplify(binary(ExprOp::minimum, low, dim_value(shape[i] - Dim(1))), extents_);
      }
      return load(node->id, node->type, indices);
    });
  }

  // The stage of an equal reduction, or a new one.
  int stage_of(const std::shared_ptr<Reduction>& body, const std::vector<int>& inner) {
    KnownReduction candidate;
    candidate.combiner = body->combiner;
    candidate.inner_count = inner.size();
    std::map<int, ExprPointer> canonical;
    auto rename = [&](int number, const Dim& extent) {
      canonical[number] = axis(-1 - static_cast<int>(canonical.size()));
      candidate.extents.push_back(extent);
    };
    for (int number : inner) rename(number, extents_.at(number));
    for (const auto& own : body->axes) rename(own.axis, own.extent);
    for (const auto* list : {&body->values, &body->identities, &body->joined}) {
      for (const ExprPointer& part : *list) {
        candidate.key.push_back(table_.intern(substitute_axes(part, canonical)));
      }
    }
    for (const KnownReduction& known : known_) {
      if (known.combiner == candidate.combiner && known.key == candidate.key &&
          known.extents == candidate.extents && known.inner_count == candidate.inner_count) {
        return known.stage;
      }
    }
    candidate.stage = static_cast<int>(kernel_.stages.size());
    Stage stage;
    stage.name = "s" + std::to_string(candidate.stage);
    stage.inner_axes = inner;
    stage.reduction = body;
    kernel_.stages.push_back(std::move(stage));
    known_.push_back(candidate);
    return candidate.stage;
  }

  void add_output(const OutputExpression& output) {
    Stage stage;
    for (int number : output.axes) {
      if (!in_grid(number)) stage.inner_axes.push_back(number);
    }
    ExprPointer value = process(output.value);
    stage.name = "s" + std::to_string(kernel_.stages.size());
    stage.values = {value};
    stage.buffer = output.buffer;
    stage.indices = output.indices;
    kernel_.stages.push_back(std::move(stage));
  }

  // Grid axes first, then a pool from which every stage takes axes of its extents.
  void number_axes() {
    kernel_.axes.clear();
    kernel_.grid_rank = static_cast<int>(grid_.size());
    for (int number : grid_) add_axis(extents_.at(number));
    for (Stage& stage : kernel_.stages) number_stage(stage);
  }

  int add_axis(const Dim& extent) {
    int number = static_cast<int>(kernel_.axes.size());
    kernel_.axes.push_back({"i" + std::to_string(number), extent});
    return number;
  }

  void number_stage(Stage& stage) {
    std::map<int, ExprPointer> numbers;
    for (size_t i = 0; i < grid_.size(); ++i) numbers[grid_[i]] = axis(static_cast<int>(i));
    std::set<int> taken;
    auto take = [&](int old, const Dim& extent) {
      int number = kernel_.grid_rank;
      int count = static_cast<int>(kernel_.axes.size());
      while (number < count && (taken.count(number) || kernel_.axes[number].extent != extent))
        ++number;
      if (number == count) add_axis(extent);
      taken.insert(number);
      numbers[old] = axis(number);
      return number;
    };
    for (int& inner : stage.inner_axes) inner = take(inner, extents_.at(inner));
    if (stage.reduction) {
      auto reduction = std::make_shared<Reduction>(*stage.reduction);
      for (auto& own : reduction->axes) own.axis = take(own.axis, own.extent);
      for (ExprPointer& value : reduction->values) value = substitute_axes(value, numbers);
      stage.reduction = reduction;
    }
    for (ExprPointer& value : stage.values) value = substitute_axes(value, numbers);
    for (ExprPointer& index : stage.indices) index = substitute_axes(index, numbers);
  }

  Kernel& kernel_;
  const Extents& extents_;
  std::vector<int> grid_;
  Visited unconditional_;
  ExpressionTable table_;
  std::vector<KnownReduction> known_;
  std::unordered_map<const Reduction*, Call> calls_;
  std::unordered_map<const Expr*, ExprPointer> processed_;
};

}  // namespace

void extract_stages(Kernel& kernel, const std::vector<OutputExpression>& outputs,
                    const Extents& extents) {
  std::vector<OutputExpression> simple = outputs;
  for (OutputExpression& output : simple) {
    output.value = simplify(output.value, extents);
    for (ExprPointer& index : output.indices) index = simplify(index, extents);
  }
  kernel.stages.clear();
  Extraction(kernel, extents).run(simple);
}

}  // namespace tenon::loop
