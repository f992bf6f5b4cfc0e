// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/affine.h"

#include "builder/loop/linear.h"
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace tenon::loop {
namespace {

void add_scaled(Affine& sum, const Affine& other, const Dim& factor) {
  sum.constant = sum.constant + other.constant * factor;
  for (const auto& [axis, coefficient] : other.coefficients) {
    Dim total = sum.coefficient(axis) + coefficient * factor;
    if (total == Dim(0)) {
      sum.coefficients.erase(axis);
    } else {
      sum.coefficients[axis] = total;
    }
  }
}

// Axes are gathered through reductions' bodies too, less the reductions' own.
void gather_axes(const ExprPointer& root, std::set<int>& axes,
                 std::unordered_set<const Reduction*>& seen) {
  visit(root, [&](const ExprPointer& node) {
    if (node->op == ExprOp::axis) axes.insert(node->id);
    if (node->op != ExprOp::reduce || !seen.insert(node->reduction.get()).second) return;
    std::set<int> inner;
    std::unordered_set<const Reduction*> seen_inside;
    for (const ExprPointer& value : node->reduction->values) gather_axes(value, inner, seen_inside);
    for (const auto& own : node->reduction->axes) inner.erase(own.axis);
    axes.insert(inner.begin(), inner.end());
  });
}

}  // namespace

std::optional<Affine> affine(const ExprPointer& index) {
  // The makers cancel floor_divide and floor_modulo where terms divide, so that only axes are left
  // as terms of an affine expression.
  Affine result;
  Linear sum = linear(index);
  result.constant = sum.constant;
  for (const Linear::Term& term : sum.terms) {
    if (term.term->op != ExprOp::axis) return std::nullopt;
    result.coefficients[term.term->id] = term.coefficient;
  }
  return result;
}

std::optional<Affine> element_offset(const Buffer& buffer,
                                     const std::vector<ExprPointer>& indices) {
  const ir::TensorType& type = buffer.type;
  if (indices.size() != type.shape.size()) return std::nullopt;
  // Logical indices -> physical ones, in the order of physical_dims: outer axes, then blocks.
  std::vector<ExprPointer> rest = indices;
  std::vector<ExprPointer> blocks(type.layout.blocks.size());
  for (size_t i = blocks.size(); i-- > 0;) {
    const ir::Layout::Block& block = type.layout.blocks[i];
    ExprPointer size = index_constant(block.size);
    ExprPointer& index = rest[block.axis];
    blocks[i] = binary(ExprOp::floor_modulo, index, size);
    index = binary(ExprOp::floor_divide, index, size);
  }
  std::vector<ExprPointer> physical;
  for (size_t i = 0; i < rest.size(); ++i) {
    physical.push_back(rest[type.layout.permutation.empty() ? i : type.layout.permutation[i]]);
  }
  physical.insert(physical.end(), blocks.begin(), blocks.end());

  std::vector<Dim> dims = ir::physical_dims(type.layout, type.shape);
  Affine result;
  Dim stride = 1;
  for (size_t i = physical.size(); i-- > 0;) {
    auto part = affine(physical[i]);
    if (!part) return std::nullopt;
    add_scaled(result, *part, stride);
    stride = stride * dims[i];
  }
  return result;
}

std::vector<int> axes_of(const ExprPointer& expression) {
  std::set<int> axes;
  std::unordered_set<const Reduction*> seen;
  gather_axes(expression, axes, seen);
  return {axes.begin(), axes.end()};
}

bool depends_on(const ExprPointer& expression, int axis) {
  std::vector<int> axes = axes_of(expression);
  return std::binary_search(axes.begin(), axes.end(), axis);
}

}  // namespace tenon::loop
