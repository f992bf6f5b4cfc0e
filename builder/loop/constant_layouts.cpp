// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/constant_layouts.h"

#include "builder/loop/affine.h"
#include "builder/loop/rewrite.h"

#include <map>
#include <optional>

namespace tenon::loop {
namespace {

/// The axis along which the last store has unit stride, or -1.
int storing_axis(const Kernel& kernel) {
  for (auto stage = kernel.stages.rbegin(); stage != kernel.stages.rend(); ++stage) {
    if (stage->buffer < 0) continue;
    const auto offset = element_offset(kernel.buffers[stage->buffer], stage->indices);
    if (!offset) return -1;
    for (const auto& [axis, coefficient] : offset->coefficients) {
      if (coefficient == Dim(1)) return axis;
    }
    return -1;
  }
  return -1;
}

/// The dim that `axis` alone indexes and no other dim uses, or -1.
int dim_indexed_by(const std::vector<ExprPointer>& indices, int axis_number) {
  int found = -1;
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    if (!depends_on(indices[dim], axis_number)) continue;
    const auto form = affine(indices[dim]);
    const bool alone = form && form->constant == Dim(0) && form->coefficients.size() == 1 &&
                       form->coefficient(axis_number) == Dim(1);
    if (!alone || found >= 0) return -1;
    found = static_cast<int>(dim);
  }
  return found;
}

}  // namespace

int lay_out_constants(Kernel& kernel) {
  const int axis_number = storing_axis(kernel);
  if (axis_number < 0) return 0;
  // For each constant the dim to make innermost; -1 once two loads disagree.
  std::map<int, int> innermost;
  rewrite_kernel(kernel, [&](const ExprPointer& expression) {
    if (expression->op == ExprOp::load && kernel.buffers[expression->id].constant) {
      const int dim = dim_indexed_by(expression->args, axis_number);
      const auto [known, is_new] = innermost.emplace(expression->id, dim);
      if (!is_new && known->second != dim) known->second = -1;
    }
    return expression;
  });
  int changed = 0;
  for (const auto& [number, dim] : innermost) {
    ir::TensorType& type = kernel.buffers[number].type;
    if (dim < 0 || !type.layout.natural() || dim == type.rank() - 1) continue;
    for (int i = 0; i < type.rank(); ++i) {
      if (i != dim) type.layout.permutation.push_back(i);
    }
    type.layout.permutation.push_back(dim);
    ++changed;
  }
  return changed;
}

}  // namespace tenon::loop
