// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/in_place.h"

#include "builder/loop/affine.h"
#include "builder/loop/expression_compare.h"
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tenon::emit {
namespace {

ir::Dim elements_of(const loop::Buffer& buffer) {
  return ir::physical_elements(buffer.type.layout, buffer.type.shape);
}

/// Everything that a stage evaluates.
std::vector<loop::ExprPointer> expressions_of(const loop::Stage& stage) {
  std::vector<loop::ExprPointer> all = stage.values;
  all.insert(all.end(), stage.indices.begin(), stage.indices.end());
  if (!stage.reduction) return all;
  for (const auto* more :
       {&stage.reduction->values, &stage.reduction->identities, &stage.reduction->joined}) {
    all.insert(all.end(), more->begin(), more->end());
  }
  return all;
}

std::vector<loop::ExprPointer> loads_of(const loop::Stage& stage, const std::set<int>& buffers) {
  std::vector<loop::ExprPointer> loads;
  for (const loop::ExprPointer& root : expressions_of(stage)) {
    loop::visit(root, [&](const loop::ExprPointer& node) {
      if (node->op == loop::ExprOp::load && buffers.count(node->id)) loads.push_back(node);
    });
  }
  return loads;
}

/// Axes of one point are at 0, which some indices say and others leave to the axis.
std::vector<loop::ExprPointer> without_unit_axes(const loop::Kernel& kernel,
                                                 const std::vector<loop::ExprPointer>& indices) {
  std::map<int, loop::ExprPointer> zeros;
  for (size_t axis = 0; axis < kernel.axes.size(); ++axis) {
    if (kernel.axes[axis].extent != ir::Dim(1)) continue;
    zeros[static_cast<int>(axis)] = loop::index_constant(0);
  }
  std::vector<loop::ExprPointer> result;
  for (const loop::ExprPointer& index : indices)
    result.push_back(loop::substitute_axes(index, zeros));
  return result;
}

bool at_the_same_place(const loop::Kernel& kernel, const loop::Expr& load,
                       const loop::Stage& store) {
  const loop::Buffer& from = kernel.buffers[load.id];
  const loop::Buffer& to = kernel.buffers[store.buffer];
  const auto read = without_unit_axes(kernel, load.args);
  const auto written = without_unit_axes(kernel, store.indices);
  const bool same_view = from.type.shape == to.type.shape && from.type.layout == to.type.layout;
  if (same_view &&
      std::equal(read.begin(), read.end(), written.begin(), written.end(), loop::equal)) {
    return true;
  }
  const auto read_offset = loop::element_offset(from, read);
  const auto written_offset = loop::element_offset(to, written);
  return read_offset && written_offset && *read_offset == *written_offset;
}

/// As many points as elements: each is stored at one point, so no point reads what another one
/// wrote.
bool stores_each_once(const loop::Kernel& kernel, const loop::Stage& stage) {
  ir::Dim points = 1;
  for (int axis = 0; axis < kernel.grid_rank; ++axis) points = points * kernel.axes[axis].extent;
  for (int axis : stage.inner_axes) points = points * kernel.axes[axis].extent;
  return points == elements_of(kernel.buffers[stage.buffer]);
}

}  // namespace

bool can_overwrite(const loop::Kernel& kernel, const std::set<int>& inputs, int output) {
  const loop::Buffer& to = kernel.buffers[output];
  for (int input : inputs) {
    const loop::Buffer& from = kernel.buffers[input];
    if (bit_width(from.type.type) != bit_width(to.type.type) ||
        elements_of(from) != elements_of(to)) {
      return false;
    }
  }
  int stores = 0;
  for (const loop::Stage& stage : kernel.stages) {
    const std::vector<loop::ExprPointer> loads = loads_of(stage, inputs);
    if (stage.buffer != output) {
      if (!loads.empty()) return false;
      continue;
    }
    ++stores;
    if (stage.reduction || !stores_each_once(kernel, stage)) return false;
    for (const loop::ExprPointer& load : loads) {
      if (!at_the_same_place(kernel, *load, stage)) return false;
    }
  }
  return stores == 1;
}

}  // namespace tenon::emit
