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

Status reject(std::string why) { return Status(ErrorCode::unsupported, std::move(why)); }

bool is_zero(const ExprPointer& expression) {
  return expression->op == ExprOp::constant && expression->real == 0 && expression->integer == 0;
}

bool is_select_or_holds_one(const ExprPointer& expression) {
  bool found = false;
  visit(expression, [&](const ExprPointer& node) { found |= node->op == ExprOp::select; });
  return found;
}

/// Checks one factor of the product.
Status check_operand(const Kernel& kernel, const ExprPointer& operand, int number) {
  const std::string name = "operand " + std::to_string(number);
  const ExprPointer load = loaded(operand);
  if (!load) {
    return reject(is_select_or_holds_one(operand)
                      ? "the padding of " + name + " is guarded by a select: materialise it first"
                      : name + " of the product is computed, not loaded");
  }
  const bool half = load->type == DataType::f16 || load->type == DataType::bf16;
  if (operand->type != load->type && !(half && operand->type == DataType::f32)) {
    return reject(name + " is converted from " + std::string(to_string(load->type)) + " to " +
                  std::string(to_string(operand->type)) + ", which the register tile does not do");
  }
  if (!operand_map(kernel, operand)) {
    return reject("the indices of " + name + " are not sums of multiples of the axes");
  }
  return Status();
}

/// The shape of kernel that the register tile runs: one sum of products, then pointwise stages.
Status check_stages(const Kernel& kernel) {
  if (kernel.stages.empty() || !kernel.stages[0].reduction) {
    return reject("the first stage is no reduction");
  }
  const Stage& first = kernel.stages[0];
  const Reduction& sum = *first.reduction;
  if (sum.combiner != Combiner::sum || sum.values.size() != 1 || !is_zero(sum.identities[0])) {
    return reject("the first stage is not a single sum from zero");
  }
  if (sum.axes.empty()) return reject("the sum has no axis");
  for (const Stage& stage : kernel.stages) {
    if (!stage.inner_axes.empty()) return reject("stage " + stage.name + " has inner axes");
    if (&stage != &first && stage.reduction) {
      return reject("stage " + stage.name + " is a second reduction");
    }
  }
  const ExprPointer& body = sum.values[0];
  if (body->op != ExprOp::multiply) return reject("the sum is not over a product");
  if (body->type != DataType::f32 && body->type != DataType::f64) {
    return reject("products of " + std::string(to_string(body->type)) +
                  " have no register tile: only f32 and f64 have");
  }
  return Status();
}

/// Grid axes along which every stored value advances by one element and that are longer than one.
std::vector<int> unit_stride_axes(const Kernel& kernel) {
  std::vector<int> axes;
  for (int number = kernel.grid_rank - 1; number >= 0; --number) {
    if (kernel.axes[number].extent == Dim(1)) continue;
    bool unit = true;
    bool stored = false;
    for (const Stage& stage : kernel.stages) {
      if (stage.buffer < 0) continue;
      const std::optional<Affine> offset =
          element_offset(kernel.buffers[stage.buffer], stage.indices);
      stored = true;
      unit &= offset && offset->coefficient(number) == Dim(1);
    }
    if (unit && stored) axes.push_back(number);
  }
  return axes;
}

struct Roles {
  const ExprPointer* broadcast;
  const ExprPointer* vector;
  OperandMap broadcast_map, vector_map;
};

Status check_roles(const Kernel& kernel, const Roles& roles, int column) {
  const std::string name = kernel.axes[column].name;
  if (roles.broadcast_map.stride(column) != Dim(0)) {
    return reject("both operands advance with " + name + ", the unit-stride axis of the output");
  }
  if (roles.vector_map.stride(column) == Dim(0)) {
    return reject("no operand advances with " + name + ", the unit-stride axis of the output");
  }
  if (roles.broadcast_map.panel_axis >= 0) return reject("the broadcast operand is blocked");
  const bool constant = kernel.buffers[loaded(*roles.vector)->id].constant;
  if (!constant && roles.vector_map.stride(column) != Dim(1)) {
    return reject("the vector operand has stride " + roles.vector_map.stride(column).to_string() +
                  " along " + name + " and is no constant that could be packed");
  }
  return Status();
}

}  // namespace

Result<Contraction> match_contraction(const Kernel& kernel) {
  TENON_RETURN_IF_ERROR(check_stages(kernel));
  const Reduction& sum = *kernel.stages[0].reduction;
  const ExprPointer& left = sum.values[0]->args[0];
  const ExprPointer& right = sum.values[0]->args[1];
  TENON_RETURN_IF_ERROR(check_operand(kernel, left, 0));
  TENON_RETURN_IF_ERROR(check_operand(kernel, right, 1));

  const std::vector<int> candidates = unit_stride_axes(kernel);
  if (candidates.empty()) return reject("the outputs share no axis of unit stride");
  const OperandMap maps[2] = {*operand_map(kernel, left), *operand_map(kernel, right)};
  Status why;
  for (const int column : candidates) {
    const bool vector_is_left = maps[0].stride(column) != Dim(0);
    const Roles roles = vector_is_left ? Roles{&right, &left, maps[1], maps[0]}
                                       : Roles{&left, &right, maps[0], maps[1]};
    Status status = check_roles(kernel, roles, column);
    if (!status.ok()) {
      if (why.ok()) why = std::move(status);
      continue;
    }
    Contraction result;
    result.broadcast = *roles.broadcast;
    result.vector = *roles.vector;
    result.column = column;
    result.vector_is_constant = kernel.buffers[loaded(result.vector)->id].constant;
    for (int number = 0; number < kernel.grid_rank; ++number) {
      const bool in_broadcast = roles.broadcast_map.stride(number) != Dim(0);
      const bool in_vector = roles.vector_map.stride(number) != Dim(0);
      auto& list = in_broadcast == in_vector ? result.batch
                   : in_broadcast            ? result.rows
                                             : result.columns;
      list.push_back(number);
    }
    for (const Reduction::ReduceAxis& reduced : sum.axes) result.depth.push_back(reduced.axis);
    std::stable_sort(result.depth.begin(), result.depth.end(), [&](int a, int b) {
      return estimate(roles.broadcast_map.stride(a)) > estimate(roles.broadcast_map.stride(b));
    });
    return result;
  }
  return why;
}

namespace {

/// The divisor c of floor_divide(axis, c) or floor_modulo(axis, c) that splits the axis evenly; 0:
/// none.
int64_t group_divisor(const Kernel& kernel, int number) {
  if (!kernel.axes[number].extent.is_constant()) return 0;
  const int64_t extent = kernel.axes[number].extent.constant();
  int64_t divisor = 0;
  bool conflict = false;
  const auto look = [&](const ExprPointer& root) {
    if (!root) return;
    visit(root, [&](const ExprPointer& node) {
      if (node->op != ExprOp::floor_divide && node->op != ExprOp::floor_modulo) return;
      if (node->args[0]->op != ExprOp::axis || node->args[0]->id != number) return;
      if (node->args[1]->op != ExprOp::constant) return;
      const int64_t value = node->args[1]->integer;
      conflict |= divisor != 0 && divisor != value;
      divisor = value;
    });
  };
  for (const Stage& stage : kernel.stages) {
    if (stage.reduction) {
      for (const ExprPointer& value : stage.reduction->values) look(value);
    }
    for (const ExprPointer& value : stage.values) look(value);
    for (const ExprPointer& index : stage.indices) look(index);
  }
  if (conflict || divisor <= 1 || divisor >= extent || extent % divisor != 0) return 0;
  return divisor;
}

/// axis -> axis * divisor + (axis + 1); later axes move up by one.
void split_axis(Kernel& kernel, int number, int64_t divisor) {
  const auto renumber = [&](int old) { return old > number ? old + 1 : old; };
  const ExprPointer inner = axis(number + 1);
  const ExprPointer joined = axis(number) * index_constant(divisor) + inner;
  // The makers leave of floor_divide(joined, divisor) the floor_divide(inner, divisor), which is 0.
  const auto within = [&](const ExprPointer& node) {
    return node->args.size() == 2 && node->args[0]->op == ExprOp::axis &&
           node->args[0]->id == number + 1 && node->args[1]->op == ExprOp::constant &&
           node->args[1]->integer == divisor;
  };
  const auto change = [&](const ExprPointer& root) {
    const ExprPointer renamed = rewrite(root, [&](const ExprPointer& node) {
      if (node->op != ExprOp::axis) return node;
      return node->id == number ? joined : axis(renumber(node->id));
    });
    return rewrite(renamed, [&](const ExprPointer& node) {
      if (node->op == ExprOp::floor_divide && within(node)) return index_constant(0);
      return node->op == ExprOp::floor_modulo && within(node) ? inner : node;
    });
  };
  for (Stage& stage : kernel.stages) {
    for (int& inner_axis : stage.inner_axes) inner_axis = renumber(inner_axis);
    for (ExprPointer& value : stage.values) value = change(value);
    for (ExprPointer& index : stage.indices) index = change(index);
    if (!stage.reduction) continue;
    auto reduction = std::make_shared<Reduction>(*stage.reduction);
    for (Reduction::ReduceAxis& reduced : reduction->axes) reduced.axis = renumber(reduced.axis);
    for (ExprPointer& value : reduction->values) value = change(value);
    stage.reduction = std::move(reduction);
  }
  Axis& old = kernel.axes[number];
  const Axis inner_axis{old.name + "_in_group", Dim(divisor)};
  old = Axis{old.name + "_group", Dim(old.extent.constant() / divisor)};
  kernel.axes.insert(kernel.axes.begin() + number + 1, inner_axis);
  ++kernel.grid_rank;
}

}  // namespace

int split_group_axes(Kernel& kernel) {
  int count = 0;
  for (int number = 0; number < kernel.grid_rank; ++number) {
    const int64_t divisor = group_divisor(kernel, number);
    if (divisor == 0) continue;
    split_axis(kernel, number, divisor);
    ++count;
    ++number;
  }
  return count;
}

}  // namespace tenon::loop
