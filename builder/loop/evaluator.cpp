// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/evaluator.h"

#include "builder/loop/rewrite.h"

#include <algorithm>
#include <limits>

namespace tenon::loop {

BufferAccess::BufferAccess(DataType type, const std::vector<int64_t>& shape,
                           const ir::Layout& layout, std::span<std::byte> bytes)
    : type_(type), shape_(shape), bytes_(bytes) {
  // Physical axes, outermost first: permuted ones without their blocks, then the blocks.
  std::vector<int64_t> block_product(shape.size(), 1);
  std::vector<Part> parts;
  std::vector<int64_t> extents;
  for (const auto& block : layout.blocks) block_product[block.axis] *= block.size;
  for (size_t i = 0; i < shape.size(); ++i) {
    int axis = layout.permutation.empty() ? static_cast<int>(i) : layout.permutation[i];
    int64_t divisor = block_product[axis];
    parts.push_back({axis, divisor, std::numeric_limits<int64_t>::max(), 1});
    int64_t extent = shape[axis];
    for (const auto& block : layout.blocks) {
      if (block.axis == axis) extent = (extent + block.size - 1) / block.size;
    }
    extents.push_back(extent);
  }
  std::vector<int64_t> remaining = block_product;
  for (const auto& block : layout.blocks) {
    remaining[block.axis] /= block.size;
    parts.push_back({block.axis, remaining[block.axis], block.size, 1});
    extents.push_back(block.size);
  }
  int64_t stride = 1;
  for (size_t i = parts.size(); i-- > 0;) {
    parts[i].stride = stride;
    stride *= extents[i];
  }
  parts_ = std::move(parts);
  byte_count_ = byte_size(type, stride);
}

std::byte* BufferAccess::at(std::span<const int64_t> indices) const {
  for (size_t i = 0; i < shape_.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= shape_[i]) return nullptr;
  }
  int64_t offset = 0;
  for (const Part& part : parts_) {
    int64_t index = indices[part.axis];
    if (part.divisor != 1) index /= part.divisor;
    if (index >= part.modulus) index %= part.modulus;
    offset += index * part.stride;
  }
  return bytes_.data() + offset * (bit_width(type_) / 8);
}

int Evaluator::add(const ExprPointer& root, const std::vector<int>& fast) {
  visit(root, [&](const ExprPointer& node) {
    if (numbers_.count(node.get())) return;
    Operation operation;
    operation.op = node->op;
    operation.type = node->type;
    operation.id = node->id;
    operation.slot = node->slot;
    operation.operand_type = node->args.empty() ? node->type : node->args.back()->type;
    if (node->op == ExprOp::axis) {
      operation.fast = std::find(fast.begin(), fast.end(), node->id) != fast.end();
    }
    if (node->op == ExprOp::stage && node->id < 0) operation.fast = true;
    for (const ExprPointer& arg : node->args) {
      int number = numbers_.at(arg.get());
      operation.operands.push_back(number);
      operation.fast = operation.fast || operations_[number].fast;
    }
    if (node->op == ExprOp::constant) operation.value = {node->real, node->integer};
    if (node->op == ExprOp::dim) operation.value = {0, value_of_(node->dim)};
    numbers_[node.get()] = static_cast<int>(operations_.size());
    operations_.push_back(std::move(operation));
  });
  return numbers_.at(root.get());
}

Scalar Evaluator::evaluate(int number) {
  Operation& operation = operations_[number];
  uint64_t now = operation.fast ? fast_epoch_ : slow_epoch_;
  if (operation.epoch != now) {
    operation.value = compute(operation);
    operation.epoch = now;
  }
  return operation.value;
}

Scalar Evaluator::compute(const Operation& operation) {
  const std::vector<int>& operands = operation.operands;
  switch (operation.op) {
    case ExprOp::constant:
    case ExprOp::dim:
      return operation.value;
    case ExprOp::axis:
      return {0, point_.axes[operation.id]};
    case ExprOp::load:
      return compute_load(operation);
    case ExprOp::stage:
      return compute_stage(operation);
    case ExprOp::select:
      return evaluate(operands[evaluate(operands[0]).integer ? 1 : 2]);
    case ExprOp::cast:
      return apply_cast(operation.operand_type, operation.type, evaluate(operands[0]));
    case ExprOp::bitcast:
      return apply_bitcast(operation.operand_type, operation.type, evaluate(operands[0]));
    case ExprOp::fused_multiply_add:
      return apply_fused_multiply_add(operation.type, evaluate(operands[0]), evaluate(operands[1]),
                                      evaluate(operands[2]));
    default:
      break;
  }
  Scalar first = evaluate(operands[0]);
  if (operands.size() == 1) return apply_unary(operation.op, operation.operand_type, first);
  return apply_binary(operation.op, operation.operand_type, first, evaluate(operands[1]));
}

Scalar Evaluator::compute_load(const Operation& operation) {
  constexpr int kMaximumRank = 32;
  int64_t indices[kMaximumRank];
  size_t rank = std::min<size_t>(operation.operands.size(), kMaximumRank);
  for (size_t i = 0; i < rank; ++i) indices[i] = evaluate(operation.operands[i]).integer;
  const std::byte* address = point_.buffers[operation.id].at({indices, rank});
  if (address) return read_element(operation.type, address);
  if (point_.error.empty()) {
    point_.error =
        "a load from buffer %" + std::to_string(operation.id) + " is outside its shape, at [";
    for (size_t i = 0; i < rank; ++i) point_.error += (i ? "," : "") + std::to_string(indices[i]);
    point_.error += "]";
  }
  return {};
}

Scalar Evaluator::compute_stage(const Operation& operation) {
  if (operation.id == -1) return point_.state[operation.slot];
  if (operation.id == -2) return point_.next[operation.slot];
  const KeptValues& kept = point_.kept[operation.id];
  int64_t offset = 0;
  for (size_t i = 0; i < kept.extents.size(); ++i) {
    int64_t index = evaluate(operation.operands[i]).integer;
    if (index < 0 || index >= kept.extents[i]) {
      if (point_.error.empty()) {
        point_.error = "stage s" + std::to_string(operation.id) + " is read outside its extents";
      }
      return {};
    }
    offset = offset * kept.extents[i] + index;
  }
  return kept.slots[operation.slot][offset];
}

}  // namespace tenon::loop
