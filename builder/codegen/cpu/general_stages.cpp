// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/general_emitter.h"
#include "builder/loop/rewrite.h"

#include <algorithm>

namespace tenon::codegen {

using ir::Dim;
using loop::Expr;
using loop::ExprOp;
using loop::ExprPointer;
using loop::Stage;
using Value = llvm::Value;

namespace {

bool contains(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

void GeneralEmitter::emit_stages(const Point& point) {
  for (size_t number = 0; number < kernel_.stages.size(); ++number) {
    emit_stage(static_cast<int>(number), point);
  }
}

int GeneralEmitter::lane_axis(const Stage& stage) {
  bool reducible = stage.reduction && stage.reduction->combiner != loop::Combiner::custom;
  std::vector<int> candidates = stage.inner_axes;
  if (reducible) {
    for (const auto& axis : stage.reduction->axes) candidates.push_back(axis.axis);
  }
  if (contains(candidates, context_.schedule.vector_axis)) return context_.schedule.vector_axis;
  // The schedule names one axis; other stages walk the same rows by axes of their own.
  std::vector<ExprPointer> reads;
  for (const auto& value : stage.reduction ? stage.reduction->values : stage.values) {
    loop::visit(value, [&](const ExprPointer& node) {
      bool tile = node->op == ExprOp::stage && kept_[static_cast<size_t>(node->id)].tile;
      if (node->op == ExprOp::load || tile) reads.push_back(node);
    });
  }
  int best = -1, best_score = 0;
  for (int axis : candidates) {
    Point point;
    point.vector_axis = axis;
    point.lanes = lanes_;
    ExpressionEmitter emitter(context_, point, {[](const Expr&) { return false; }, nullptr});
    auto score = [&](const ExprPointer& offset) {
      auto step = emitter.lane_step(offset);
      return !step ? -1 : *step == Dim(1) ? 1 : *step == Dim(0) ? 0 : -1;
    };
    int sum = 0;
    for (const auto& read : reads) {
      sum += score(read->op == ExprOp::load ? emitter.reference(read->id, read->args).offset
                                            : tile_offset(read->id, read->args));
    }
    if (stage.buffer >= 0) sum += score(emitter.reference(stage.buffer, stage.indices).offset);
    if (stage.buffer < 0 && axis == candidates.back()) sum += contains(stage.inner_axes, axis);
    if (sum > best_score) {
      best = axis;
      best_score = sum;
    }
  }
  return best;
}

void GeneralEmitter::emit_stage(int number, const Point& point) { emit_inner(number, 0, point); }

void GeneralEmitter::emit_inner(int number, size_t position, const Point& point) {
  const auto& stage = kernel_.stages[static_cast<size_t>(number)];
  int lanes_along = lane_axes_[static_cast<size_t>(number)];
  bool inner_lanes = contains(stage.inner_axes, lanes_along);
  // Lanes run innermost.
  std::vector<int> order;
  for (int axis : stage.inner_axes) {
    if (axis != lanes_along) order.push_back(axis);
  }
  if (inner_lanes) order.push_back(lanes_along);

  if (position < order.size()) {
    int axis = order[position];
    auto* extent = context_.dim(kernel_.axes[static_cast<size_t>(axis)].extent);
    auto step = [&](Value* at, int lanes, Value* mask) {
      Point inner = point;
      inner.axes[axis] = at;
      if (lanes > 0) {
        inner.vector_axis = axis;
        inner.lanes = lanes;
        inner.mask = mask;
      }
      emit_inner(number, position + 1, inner);
    };
    if (axis == lanes_along) return lane_loop(context_.index(0), extent, true, step);
    return context_.loop(context_.index(0), extent, 1, "inner",
                         [&](Value* at) { step(at, 0, nullptr); });
  }

  Values values;
  if (stage.reduction) {
    values = reduce(stage, point, inner_lanes ? -1 : lanes_along);
  }
  ExpressionEmitter emitter(context_, point, stage_source());
  if (!stage.reduction) values = emitter.emit(stage.values);
  if (context_.error().code() != ErrorCode::ok) {
    // Later stages still find something to refer to.
    kept_[static_cast<size_t>(number)].registers = values;
    return;
  }
  if (stage.buffer >= 0) emitter.store(emitter.reference(stage.buffer, stage.indices), values[0]);
  keep(number, emitter, values);
}

void GeneralEmitter::keep(int number, ExpressionEmitter& emitter, const Values& values) {
  const auto& stage = kernel_.stages[static_cast<size_t>(number)];
  auto& kept = kept_[static_cast<size_t>(number)];
  kept.registers = values;
  if (!kept.tile) return;
  std::vector<ExprPointer> position;
  for (int axis : stage.inner_axes) position.push_back(loop::axis(axis));
  auto offset = tile_offset(number, position);
  for (size_t slot = 0; slot < values.size(); ++slot) {
    bool vector = values[slot]->getType()->isVectorTy();
    kept.lanes[slot] = grid_lanes_ && vector ? emitter.point().lanes : 1;
    auto memory = tile_reference(number, static_cast<int>(slot), offset);
    if (kept.lanes[slot] == 1) {
      emitter.store(memory, values[slot]);
    } else {
      auto* stored = emitter.arithmetic().to_memory(memory.type, values[slot]);
      builder_.CreateAlignedStore(stored,
                                  tile_address(number, static_cast<int>(slot), offset, emitter),
                                  llvm::Align(static_cast<uint64_t>(bit_width(memory.type)) / 8));
    }
  }
}

ExprPointer GeneralEmitter::tile_offset(int stage, const std::vector<ExprPointer>& position) const {
  const auto& axes = kernel_.stages[static_cast<size_t>(stage)].inner_axes;
  auto sum = loop::index_constant(0);
  Dim stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    sum = sum + position[i] * loop::dim_value(stride);
    stride = stride * kernel_.axes[static_cast<size_t>(axes[i])].extent;
  }
  return sum;
}

MemoryReference GeneralEmitter::tile_reference(int stage, int slot, ExprPointer offset) {
  const auto& described = kernel_.stages[static_cast<size_t>(stage)];
  const auto& kept = kept_[static_cast<size_t>(stage)];
  auto at = static_cast<size_t>(slot);
  MemoryReference memory;
  memory.base =
      builder_.CreateGEP(builder_.getInt8Ty(), context_.scratch(), context_.dim(kept.offsets[at]));
  memory.type = described.reduction ? described.reduction->type(slot) : described.values[at]->type;
  memory.offset = std::move(offset);
  return memory;
}

Value* GeneralEmitter::tile_address(int stage, int slot, const ExprPointer& offset,
                                    ExpressionEmitter& emitter) {
  auto memory = tile_reference(stage, slot, offset);
  int lanes = kept_[static_cast<size_t>(stage)].lanes[static_cast<size_t>(slot)];
  auto* type = emitter.arithmetic().memory_type(memory.type);
  if (!emitter.varies(offset)) {
    auto* first = builder_.CreateNSWMul(emitter.emit_base(offset), context_.index(lanes));
    return builder_.CreateGEP(type, memory.base, first);
  }
  // Each lane reads its own column of another element.
  std::vector<llvm::Constant*> numbers;
  for (int lane = 0; lane < lanes; ++lane) {
    numbers.push_back(builder_.getInt64(static_cast<uint64_t>(lane)));
  }
  auto* first = builder_.CreateNSWMul(emitter.emit(offset), emitter.splat(context_.index(lanes)));
  return builder_.CreateGEP(type, memory.base,
                            builder_.CreateAdd(first, llvm::ConstantVector::get(numbers)));
}

StageSource GeneralEmitter::stage_source() {
  StageSource source;
  source.varies = [this](const Expr& node) {
    const auto& kept = kept_[static_cast<size_t>(node.id)];
    auto slot = static_cast<size_t>(node.slot);
    if (kept.tile) return kept.lanes[slot] > 1;
    return slot < kept.registers.size() && kept.registers[slot]->getType()->isVectorTy();
  };
  source.value = [this](const Expr& node, ExpressionEmitter& emitter) {
    return kept_value(node, emitter);
  };
  return source;
}

Value* GeneralEmitter::kept_value(const Expr& node, ExpressionEmitter& emitter) {
  const auto& kept = kept_[static_cast<size_t>(node.id)];
  auto slot = static_cast<size_t>(node.slot);
  if (!kept.tile) return kept.registers[slot];
  auto offset = tile_offset(node.id, node.args);
  auto memory = tile_reference(node.id, node.slot, offset);
  if (kept.lanes[slot] == 1) return emitter.load(memory);
  auto* address = tile_address(node.id, node.slot, offset, emitter);
  auto& arithmetic = emitter.arithmetic();
  auto* type = llvm::FixedVectorType::get(arithmetic.memory_type(memory.type),
                                          static_cast<unsigned>(kept.lanes[slot]));
  llvm::Align align(static_cast<uint64_t>(bit_width(memory.type)) / 8);
  Value* stored = nullptr;
  if (address->getType()->isVectorTy()) {
    stored = builder_.CreateMaskedGather(type, address, align, emitter.point().mask);
  } else {
    stored = builder_.CreateAlignedLoad(type, address, align);
  }
  return arithmetic.to_register(memory.type, stored);
}

}  // namespace tenon::codegen
