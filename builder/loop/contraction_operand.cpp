// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/contraction_operand.h"

#include <vector>

namespace tenon::loop {

namespace {

void add_scaled(Affine& sum, const Affine& term, const Dim& scale) {
  sum.constant = sum.constant + term.constant * scale;
  for (const auto& [axis_number, coefficient] : term.coefficients) {
    const Dim total = sum.coefficient(axis_number) + coefficient * scale;
    if (total == Dim(0)) {
      sum.coefficients.erase(axis_number);
    } else {
      sum.coefficients[axis_number] = total;
    }
  }
}

}  // namespace

ExprPointer loaded(const ExprPointer& operand) {
  const ExprPointer& inner = operand->op == ExprOp::cast ? operand->args[0] : operand;
  return inner->op == ExprOp::load ? inner : nullptr;
}

int bare_axis(const ExprPointer& index) {
  const std::optional<Affine> form = affine(index);
  if (!form || form->constant != Dim(0) || form->coefficients.size() != 1) return -1;
  const auto& [number, coefficient] = *form->coefficients.begin();
  return coefficient == Dim(1) ? number : -1;
}

int64_t estimate(const Dim& dim) {
  return dim.evaluate([](const std::string&) { return std::optional<int64_t>(64); }).value_or(64);
}

std::optional<OperandMap> operand_map(const Kernel& kernel, const ExprPointer& operand) {
  const ExprPointer load = loaded(operand);
  if (!load) return std::nullopt;
  const Buffer& buffer = kernel.buffers[load->id];
  const ir::Layout& layout = buffer.type.layout;
  OperandMap map;
  if (layout.blocks.empty()) {
    std::optional<Affine> offset = element_offset(buffer, load->args);
    if (!offset) return std::nullopt;
    map.offset = std::move(*offset);
    return map;
  }
  if (layout.blocks.size() != 1) return std::nullopt;
  const ir::Layout::Block block = layout.blocks[0];
  const std::vector<Dim> physical = ir::physical_dims(layout, buffer.type.shape);
  Dim stride = Dim(block.size);
  for (int position = buffer.type.rank() - 1; position >= 0; --position) {
    const int logical = layout.permutation.empty() ? position : layout.permutation[position];
    if (logical == block.axis) {
      map.panel_axis = bare_axis(load->args[logical]);
      if (map.panel_axis < 0) return std::nullopt;
      map.panel_size = block.size;
      map.panel_stride = stride;
    } else {
      const std::optional<Affine> index = affine(load->args[logical]);
      if (!index) return std::nullopt;
      add_scaled(map.offset, *index, stride);
    }
    stride = stride * physical[position];
  }
  if (map.offset.coefficients.contains(map.panel_axis)) return std::nullopt;
  return map;
}

}  // namespace tenon::loop
