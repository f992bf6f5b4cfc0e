// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <set>

namespace tenon::loop {
namespace {

bool is_axis(const ExprPointer& index, int number) {
  return index->op == ExprOp::axis && index->id == number;
}

// Two axes, `outer` just outside of `inner`, to become one.
struct Pair {
  int outer = 0, inner = 0;
};

class Collapse {
 public:
  explicit Collapse(Kernel& kernel) : kernel_(kernel) {}

  int run() {
    drop_unit_axes();
    drop_unit_dims();
    while (merge_any()) {
    }
    for (size_t i = 0; i < kernel_.axes.size(); ++i) kernel_.axes[i].name = "i" + std::to_string(i);
    return vanished_;
  }

 private:
  // ---- axes of extent 1 ----

  void drop_unit_axes() {
    for (int number = static_cast<int>(kernel_.axes.size()); number-- > 0;) {
      if (kernel_.axes[number].extent != Dim(1) || is_last_reduction_axis(number)) continue;
      remove_arguments(number);
      for (Stage& stage : kernel_.stages) forget(stage, number);
      replace_axis(number, index_constant(0));
      remove_axis(number);
    }
  }

  bool is_last_reduction_axis(int number) const {
    return std::any_of(kernel_.stages.begin(), kernel_.stages.end(), [&](const Stage& stage) {
      return stage.reduction && stage.reduction->axes.size() == 1 &&
             stage.reduction->axes[0].axis == number;
    });
  }

  // Uses of stages that have `number` as an inner axis lose that argument.
  void remove_arguments(int number) {
    std::vector<int> positions;
    for (const Stage& stage : kernel_.stages) {
      auto found = std::find(stage.inner_axes.begin(), stage.inner_axes.end(), number);
      positions.push_back(found == stage.inner_axes.end()
                              ? -1
                              : static_cast<int>(found - stage.inner_axes.begin()));
    }
    rewrite_kernel(kernel_, [&](const ExprPointer& node) -> ExprPointer {
      if (node->op != ExprOp::stage || node->id < 0 || positions[node->id] < 0) return node;
      std::vector<ExprPointer> arguments = node->args;
      arguments.erase(arguments.begin() + positions[node->id]);
      return stage_value(node->id, node->slot, node->type, arguments);
    });
  }

  static void forget(Stage& stage, int number) {
    std::erase(stage.inner_axes, number);
    if (!stage.reduction) return;
    auto reduction = std::make_shared<Reduction>(*stage.reduction);
    std::erase_if(reduction->axes, [&](const auto& own) { return own.axis == number; });
    stage.reduction = reduction;
  }

  void replace_axis(int number, const ExprPointer& replacement) {
    rewrite_kernel(kernel_, [&](const ExprPointer& node) {
      return is_axis(node, number) ? replacement : node;
    });
  }

  // Closes the gap that an axis, which nothing refers to, leaves in the numbers.
  void remove_axis(int number) {
    auto moved = [&](int old) { return old > number ? old - 1 : old; };
    rewrite_kernel(kernel_, [&](const ExprPointer& node) -> ExprPointer {
      return node->op == ExprOp::axis && node->id > number ? axis(node->id - 1) : node;
    });
    for (Stage& stage : kernel_.stages) {
      for (int& inner : stage.inner_axes) inner = moved(inner);
      if (!stage.reduction) continue;
      auto reduction = std::make_shared<Reduction>(*stage.reduction);
      for (auto& own : reduction->axes) own.axis = moved(own.axis);
      stage.reduction = reduction;
    }
    kernel_.axes.erase(kernel_.axes.begin() + number);
    if (number < kernel_.grid_rank) --kernel_.grid_rank;
    ++vanished_;
  }

  // ---- buffers ----

  // Dim `dim` goes; each access' indices are joined by `join`.
  void remove_dim(int buffer, int dim, const std::function<void(std::vector<ExprPointer>&)>& join) {
    auto without = [&](std::vector<ExprPointer> indices) {
      join(indices);
      indices.erase(indices.begin() + dim);
      return indices;
    };
    rewrite_kernel(kernel_, [&](const ExprPointer& node) -> ExprPointer {
      if (node->op != ExprOp::load || node->id != buffer) return node;
      return load(buffer, node->type, without(node->args));
    });
    for (Stage& stage : kernel_.stages) {
      if (stage.buffer == buffer) stage.indices = without(stage.indices);
    }
    ir::TensorType& type = kernel_.buffers[buffer].type;
    type.shape.erase(type.shape.begin() + dim);
    std::vector<int>& permutation = type.layout.permutation;
    std::erase(permutation, dim);
    for (int& position : permutation) position -= position > dim ? 1 : 0;
    if (std::is_sorted(permutation.begin(), permutation.end())) permutation.clear();
  }

  void drop_unit_dims() {
    for (size_t b = 0; b < kernel_.buffers.size(); ++b) {
      const ir::TensorType& type = kernel_.buffers[b].type;
      if (!type.layout.blocks.empty()) continue;
      for (int dim = type.rank(); dim-- > 0;) {
        if (type.shape[dim] != Dim(1)) continue;
        remove_dim(static_cast<int>(b), dim, [](std::vector<ExprPointer>&) {});
      }
    }
  }

  // ---- pairs ----

  bool merge_any() {
    std::vector<Pair> pairs;
    for (int i = 0; i + 1 < kernel_.grid_rank; ++i) pairs.push_back({i, i + 1});
    for (const Stage& stage : kernel_.stages) {
      for (size_t i = 0; i + 1 < stage.inner_axes.size(); ++i) {
        pairs.push_back({stage.inner_axes[i], stage.inner_axes[i + 1]});
      }
      for (size_t i = 0; stage.reduction && i + 1 < stage.reduction->axes.size(); ++i) {
        pairs.push_back({stage.reduction->axes[i].axis, stage.reduction->axes[i + 1].axis});
      }
    }
    for (const Pair& pair : pairs) {
      std::set<std::pair<int, int>> dims;
      if (!may_merge(pair, dims)) continue;
      merge(pair, dims);
      return true;
    }
    return false;
  }

  // Whether every use of the axes is as neighbours. `dims`: buffers, and the dim of the outer axis.
  bool may_merge(const Pair& pair, std::set<std::pair<int, int>>& dims) const {
    for (const Stage& stage : kernel_.stages) {
      std::vector<int> reduced;
      if (stage.reduction) {
        for (const auto& own : stage.reduction->axes) reduced.push_back(own.axis);
      }
      if (!named_as_neighbours(pair, stage.inner_axes) || !named_as_neighbours(pair, reduced)) {
        return false;
      }
      if (stage.buffer >= 0 && !indexed_as_neighbours(pair, stage.buffer, stage.indices, dims)) {
        return false;
      }
      const auto& values = stage.reduction ? stage.reduction->values : stage.values;
      for (const ExprPointer& value : values) {
        if (!used_as_neighbours(pair, value, dims)) return false;
      }
      for (const ExprPointer& index : stage.indices) {
        if (index->op != ExprOp::axis && !used_as_neighbours(pair, index, dims)) return false;
      }
    }
    return true;
  }

  static bool named_as_neighbours(const Pair& pair, const std::vector<int>& list) {
    auto outer = std::find(list.begin(), list.end(), pair.outer);
    auto inner = std::find(list.begin(), list.end(), pair.inner);
    if (outer == list.end() || inner == list.end()) return outer == inner;
    return outer + 1 == inner;
  }

  bool used_as_neighbours(const Pair& pair, const ExprPointer& root,
                          std::set<std::pair<int, int>>& dims) const {
    auto of_pair = [&](const ExprPointer& node) {
      return is_axis(node, pair.outer) || is_axis(node, pair.inner);
    };
    bool fits = !of_pair(root);
    visit(root, [&](const ExprPointer& node) {
      if (!fits) return;
      if (node->op == ExprOp::load) {
        fits = indexed_as_neighbours(pair, node->id, node->args, dims);
      } else if (node->op == ExprOp::stage && node->id >= 0) {
        fits = passed_as_neighbours(pair, *node);
      } else {
        fits = std::none_of(node->args.begin(), node->args.end(), of_pair);
      }
    });
    return fits;
  }

  // Indices [.., outer, .., inner, ..] at dims that are neighbours in memory, and the inner axis
  // runs over the whole of its dim.
  bool indexed_as_neighbours(const Pair& pair, int buffer, const std::vector<ExprPointer>& indices,
                             std::set<std::pair<int, int>>& dims) const {
    int outer = -1, inner = -1;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (is_axis(indices[i], pair.outer)) outer = outer < 0 ? static_cast<int>(i) : -2;
      if (is_axis(indices[i], pair.inner)) inner = inner < 0 ? static_cast<int>(i) : -2;
    }
    if (outer == -1 && inner == -1) return true;
    const ir::TensorType& type = kernel_.buffers[buffer].type;
    if (outer < 0 || inner < 0 || !type.layout.blocks.empty()) return false;
    auto position = [&](int dim) {
      const std::vector<int>& permutation = type.layout.permutation;
      if (permutation.empty()) return static_cast<int64_t>(dim);
      return std::find(permutation.begin(), permutation.end(), dim) - permutation.begin();
    };
    if (position(inner) != position(outer) + 1) return false;
    if (type.shape[inner] != kernel_.axes[pair.inner].extent) return false;
    // One buffer may be seen through one pair of dims only.
    for (const auto& [other, dim] : dims) {
      if (other == buffer && dim != outer) return false;
    }
    dims.insert({buffer, outer});
    return true;
  }

  bool passed_as_neighbours(const Pair& pair, const Expr& use) const {
    const std::vector<int>& inner_axes = kernel_.stages[use.id].inner_axes;
    for (size_t i = 0; i < use.args.size(); ++i) {
      bool outer = is_axis(use.args[i], pair.outer), inner = is_axis(use.args[i], pair.inner);
      bool outer_place = inner_axes[i] == pair.outer, inner_place = inner_axes[i] == pair.inner;
      if (outer != outer_place || inner != inner_place) return false;
    }
    return true;
  }

  void merge(const Pair& pair, const std::set<std::pair<int, int>>& dims) {
    for (const auto& [buffer, dim] : dims) merge_dims(pair, buffer, dim);
    remove_arguments(pair.inner);
    for (Stage& stage : kernel_.stages) {
      if (stage.reduction) {
        auto reduction = std::make_shared<Reduction>(*stage.reduction);
        for (auto& own : reduction->axes) {
          if (own.axis == pair.outer) own.extent = own.extent * kernel_.axes[pair.inner].extent;
        }
        stage.reduction = reduction;
      }
      forget(stage, pair.inner);
    }
    kernel_.axes[pair.outer].extent =
        kernel_.axes[pair.outer].extent * kernel_.axes[pair.inner].extent;
    remove_axis(pair.inner);
  }

  void merge_dims(const Pair& pair, int buffer, int outer) {
    ir::TensorType& type = kernel_.buffers[buffer].type;
    int inner = outer + 1;
    if (const auto& order = type.layout.permutation; !order.empty()) {
      inner = *(std::find(order.begin(), order.end(), outer) + 1);
    }
    Dim extent = type.shape[inner];
    type.shape[outer] = type.shape[outer] * extent;
    remove_dim(buffer, inner, [&](std::vector<ExprPointer>& indices) {
      if (is_axis(indices[outer], pair.outer) && is_axis(indices[inner], pair.inner)) return;
      indices[outer] = indices[outer] * dim_value(extent) + indices[inner];
    });
  }

  Kernel& kernel_;
  int vanished_ = 0;
};

}  // namespace

int collapse_axes(Kernel& kernel) { return Collapse(kernel).run(); }

}  // namespace tenon::loop
