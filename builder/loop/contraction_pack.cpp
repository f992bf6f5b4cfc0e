// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/affine.h"
#include "builder/loop/contraction.h"
#include "builder/loop/contraction_operand.h"
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace tenon::loop {

namespace {

Status reject(std::string why) {
  return Status(ErrorCode::unsupported, "the constant operand cannot be packed: " + std::move(why));
}

const Dim* axis_extent(const Kernel& kernel, int number) { return &kernel.axes[number].extent; }

/// One logical dim as several: [sum of coefficient * axis] of a mixed radix becomes one index per
/// axis.
struct SplitDims {
  std::vector<Dim> shape;
  std::vector<ExprPointer> indices;
};

/// i*E + j over a dim of I*E elements => dims [I, E] and indices [i, j].
bool split_index(const Kernel& kernel, const Dim& dim, const Affine& form, SplitDims& split) {
  std::vector<std::pair<Dim, int>> terms;
  for (const auto& [number, coefficient] : form.coefficients)
    terms.push_back({coefficient, number});
  std::stable_sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) {
    return estimate(a.first) < estimate(b.first);
  });
  Dim radix = 1;
  for (const auto& [coefficient, number] : terms) {
    if (coefficient != radix) return false;
    radix = radix * *axis_extent(kernel, number);
  }
  if (radix != dim || form.constant != Dim(0)) return false;
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
    split.shape.push_back(*axis_extent(kernel, term->second));
    split.indices.push_back(axis(term->second));
  }
  return true;
}

int loads_of(const Kernel& kernel, int buffer) {
  int count = 0;
  const auto look = [&](const ExprPointer& root) {
    visit(root, [&](const ExprPointer& node) {
      count += node->op == ExprOp::load && node->id == buffer;
    });
  };
  for (const Stage& stage : kernel.stages) {
    if (stage.reduction) {
      for (const ExprPointer& value : stage.reduction->values) look(value);
    }
    for (const ExprPointer& value : stage.values) look(value);
  }
  return count;
}

int rank_in(const std::vector<int>& order, int number) {
  const auto found = std::find(order.begin(), order.end(), number);
  return found == order.end() ? -1 : static_cast<int>(found - order.begin());
}

}  // namespace

Status pack_constant_operand(Kernel& kernel, const Contraction& contraction, int vector_elements) {
  const ExprPointer load = loaded(contraction.vector);
  Buffer& buffer = kernel.buffers[load->id];
  if (!buffer.constant) return reject("it is no constant");
  if (!buffer.type.layout.natural()) return reject("it already has a layout");
  if (bit_width(load->type) < 8) return reject("its elements are smaller than a byte");
  if (loads_of(kernel, load->id) != 1) return reject("it is read in several places");

  SplitDims split;
  for (size_t d = 0; d < load->args.size(); ++d) {
    const std::optional<Affine> form = affine(load->args[d]);
    if (!form) return reject("an index is not affine");
    if (form->coefficients.size() > 1) {
      if (!split_index(kernel, buffer.type.shape[d], *form, split)) {
        return reject("an index mixes axes");
      }
    } else {
      split.shape.push_back(buffer.type.shape[d]);
      split.indices.push_back(load->args[d]);
    }
  }

  // Batch, other columns, panels, depth in loop order: the sort key of each dim.
  std::vector<std::pair<int, int>> order;
  int column_dim = -1;
  for (size_t d = 0; d < split.indices.size(); ++d) {
    const std::vector<int> used = axes_of(split.indices[d]);
    int key = 0;
    if (!used.empty()) {
      const int number = used[0];
      const int depth = rank_in(contraction.depth, number);
      if (number == contraction.column) {
        if (column_dim >= 0 || bare_axis(split.indices[d]) != number) {
          return reject("the column is not one whole dim");
        }
        column_dim = static_cast<int>(d);
        key = kernel.grid_rank;
      } else {
        key = depth >= 0 ? kernel.grid_rank + 1 + depth : rank_in(contraction.batch, number);
      }
    }
    order.push_back({key, static_cast<int>(d)});
  }
  if (column_dim < 0) return reject("no dim is the column");
  std::stable_sort(order.begin(), order.end());
  ir::Layout layout;
  for (const auto& [key, d] : order) layout.permutation.push_back(d);
  layout.blocks = {{column_dim, vector_elements}};

  buffer.type.shape = std::move(split.shape);
  buffer.type.layout = std::move(layout);
  const ExprPointer packed = tenon::loop::load(load->id, load->type, std::move(split.indices));
  for (Stage& stage : kernel.stages) {
    if (!stage.reduction) continue;
    auto reduction = std::make_shared<Reduction>(*stage.reduction);
    for (ExprPointer& value : reduction->values) {
      value = rewrite(value, [&](const ExprPointer& node) {
        return node->op == ExprOp::load && node->id == load->id ? packed : node;
      });
    }
    stage.reduction = std::move(reduction);
  }
  return Status();
}

}  // namespace tenon::loop
