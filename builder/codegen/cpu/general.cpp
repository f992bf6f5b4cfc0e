// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/general.h"

#include "builder/codegen/cpu/general_emitter.h"
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <set>

namespace tenon::codegen {

using ir::Dim;
using Value = llvm::Value;

namespace {

int largest_power_below(int value) {
  int power = 1;
  while (power * 2 < value) power *= 2;
  return power;
}

}  // namespace

Status emit_general(EmitContext& context) {
  const auto& schedule = context.schedule;
  auto axes = static_cast<int>(context.kernel.axes.size());
  if (schedule.vector_axis >= axes || schedule.vector_elements < 1 ||
      schedule.vector_elements > 1024) {
    return {ErrorCode::unsupported, "schedule '" + loop::to_string(schedule) +
                                        "' does not fit a kernel of " + std::to_string(axes) +
                                        " axes"};
  }
  GeneralEmitter(context).emit();
  return context.error();
}

GeneralEmitter::GeneralEmitter(EmitContext& context)
    : context_(context), kernel_(context.kernel), builder_(context.builder) {
  const auto& schedule = context.schedule;
  if (schedule.vector_axis >= 0) lanes_ = schedule.vector_elements;
  grid_lanes_ = lanes_ > 1 && schedule.vector_axis < kernel_.grid_rank;
  for (const auto& buffer : kernel_.buffers) {
    scalar_rest_ |= bit_width(buffer.type.type) < 32 && !context.target.has("avx512bw");
  }
}

void GeneralEmitter::emit() {
  plan_grid();
  plan_scratch();
  for (const auto& stage : kernel_.stages) {
    lane_axes_.push_back(lanes_ > 1 && !grid_lanes_ ? lane_axis(stage) : -1);
  }
  context_.loop(context_.begin, context_.end, 1, "item", [&](Value* item) { emit_item(item); });
}

int64_t GeneralEmitter::tile_of(int axis) const {
  const auto& tile = context_.schedule.tile;
  int64_t given = static_cast<size_t>(axis) < tile.size() ? tile[static_cast<size_t>(axis)] : 0;
  if (given > 0) return given;
  return axis == context_.schedule.vector_axis ? 0 : 1;
}

void GeneralEmitter::plan_grid() {
  constexpr int64_t kUsefulPoints = 8192;
  Dim points = 1;
  context_.generated.grid = 1;
  for (int axis = 0; axis < kernel_.grid_rank; ++axis) {
    const Dim& extent = kernel_.axes[static_cast<size_t>(axis)].extent;
    int64_t tile = tile_of(axis);
    counts_.push_back(tile == 0 ? Dim(1) : Dim::ceil_div(extent, tile));
    points = points * (tile == 0 ? extent : Dim(tile));
    context_.generated.grid = context_.generated.grid * counts_.back();
  }
  for (const auto& stage : kernel_.stages) {
    Dim inner = 1;
    for (int axis : stage.inner_axes)
      inner = inner * kernel_.axes[static_cast<size_t>(axis)].extent;
    if (stage.reduction) {
      for (const auto& axis : stage.reduction->axes) inner = inner * axis.extent;
    }
    if (&stage == &kernel_.stages.back()) points = points * inner;
  }
  int64_t known = points.is_constant() ? std::max<int64_t>(points.constant(), 1) : kUsefulPoints;
  context_.generated.grain = std::max<int64_t>(1, kUsefulPoints / known);
}

void GeneralEmitter::plan_scratch() {
  std::set<int> read;
  auto find = [&](const loop::ExprPointer& root) {
    loop::visit(root, [&](const loop::ExprPointer& node) {
      if (node->op == loop::ExprOp::stage) read.insert(node->id);
    });
  };
  for (const auto& stage : kernel_.stages) {
    for (const auto& value : stage.reduction ? stage.reduction->values : stage.values) find(value);
    for (const auto& index : stage.indices) find(index);
  }
  Dim total = 0;
  for (size_t number = 0; number < kernel_.stages.size(); ++number) {
    const auto& stage = kernel_.stages[number];
    Kept kept;
    kept.tile = !stage.inner_axes.empty() && read.count(static_cast<int>(number));
    for (int slot = 0; kept.tile && slot < stage.slot_count(); ++slot) {
      auto type = stage.reduction ? stage.reduction->type(slot)
                                  : stage.values[static_cast<size_t>(slot)]->type;
      Dim bytes = bit_width(type) / 8 * (grid_lanes_ ? lanes_ : 1);
      for (int axis : stage.inner_axes) {
        bytes = bytes * kernel_.axes[static_cast<size_t>(axis)].extent;
      }
      kept.offsets.push_back(total);
      kept.lanes.push_back(1);
      total = total + Dim::ceil_div(bytes, 64) * 64;
    }
    kept_.push_back(std::move(kept));
  }
  context_.generated.scratch_bytes = total;
}

void GeneralEmitter::emit_item(Value* item) {
  std::vector<Value*> tiles(counts_.size());
  for (size_t axis = counts_.size(); axis-- > 0;) {
    bool last = std::all_of(counts_.begin(), counts_.begin() + static_cast<int64_t>(axis),
                            [](const Dim& count) { return count == Dim(1); });
    auto* count = context_.dim(counts_[axis]);
    if (counts_[axis] == Dim(1)) {
      tiles[axis] = context_.index(0);
    } else if (last) {
      tiles[axis] = item;
    } else {
      tiles[axis] = builder_.CreateURem(item, count);
      item = builder_.CreateUDiv(item, count);
    }
  }
  Point point;
  std::vector<int> order;
  for (int axis = 0; axis < kernel_.grid_rank; ++axis) {
    int64_t tile = std::max<int64_t>(tile_of(axis), 1);
    auto* position = tiles[static_cast<size_t>(axis)];
    // The first point of the tile; emit_axes moves along it.
    point.axes[axis] = tile == 1 ? position : builder_.CreateNSWMul(position, context_.index(tile));
    if (!grid_lanes_ || axis != context_.schedule.vector_axis) order.push_back(axis);
  }
  if (grid_lanes_) order.push_back(context_.schedule.vector_axis);
  emit_axes(order, 0, point);
}

void GeneralEmitter::emit_axes(const std::vector<int>& order, size_t position, Point point) {
  if (position == order.size()) return emit_stages(point);
  int axis = order[position];
  const Dim& extent = kernel_.axes[static_cast<size_t>(axis)].extent;
  auto* first = point.axes[axis];
  int64_t tile = tile_of(axis);
  Value* span = nullptr;
  if (tile == 0) {
    span = context_.dim(extent);
  } else if (tile == 1 || (extent.is_constant() && extent.constant() % tile == 0)) {
    span = context_.index(tile);
  } else {
    span = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, context_.index(tile),
                                          builder_.CreateNSWSub(context_.dim(extent), first));
  }
  if (grid_lanes_ && axis == context_.schedule.vector_axis) {
    lane_loop(first, span, true, [&](Value* at, int lanes, Value* mask) {
      Point inner = point;
      inner.axes[axis] = at;
      inner.vector_axis = axis;
      inner.lanes = lanes;
      inner.mask = mask;
      emit_axes(order, position + 1, inner);
    });
    return;
  }
  context_.loop(context_.index(0), span, 1, "grid", [&](Value* step) {
    Point inner = point;
    inner.axes[axis] = builder_.CreateNSWAdd(first, step);
    emit_axes(order, position + 1, inner);
  });
}

void GeneralEmitter::lane_loop(Value* begin, Value* span, bool pieces, const LaneBody& body) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(begin);
  bool from_zero = constant && constant->isZero();
  auto at = [&](Value* step) { return from_zero ? step : builder_.CreateNSWAdd(begin, step); };
  auto when = [&](Value* condition, const std::function<void()>& then) {
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition);
    if (!known) return context_.branch(condition, then);
    if (known->isOne()) then();
  };
  auto* size = context_.index(lanes_);
  auto* full = builder_.CreateNSWMul(builder_.CreateUDiv(span, size), size);
  context_.loop(context_.index(0), full, lanes_, "lanes",
                [&](Value* step) { body(at(step), lanes_, nullptr); });
  auto* rest = builder_.CreateNSWSub(span, full);
  if (scalar_rest_) {
    context_.loop(full, span, 1, "rest", [&](Value* step) { body(at(step), 1, nullptr); });
    return;
  }
  int last = lanes_;
  if (pieces) {
    // The binary digits of the rest: each power of two at most once, the largest first.
    const int least = context_.target.unit.bits / 32;
    for (int width = largest_power_below(lanes_); width >= least; width /= 2) {
      auto* before = builder_.CreateAnd(rest, context_.index(-2 * width));
      auto* here =
          builder_.CreateICmpNE(builder_.CreateAnd(rest, context_.index(width)), context_.index(0));
      when(here, [&] { body(at(builder_.CreateNSWAdd(full, before)), width, nullptr); });
      last = width;
    }
    if (last < lanes_) {
      full = builder_.CreateNSWAdd(full, builder_.CreateAnd(rest, context_.index(-last)));
      rest = builder_.CreateAnd(rest, context_.index(last - 1));
    }
  }
  when(builder_.CreateICmpSGT(rest, context_.index(0)), [&] {
    std::vector<llvm::Constant*> numbers;
    for (int lane = 0; lane < last; ++lane) {
      numbers.push_back(builder_.getInt32(static_cast<uint32_t>(lane)));
    }
    auto* count = builder_.CreateVectorSplat(static_cast<unsigned>(last),
                                             builder_.CreateTrunc(rest, builder_.getInt32Ty()));
    auto* mask = builder_.CreateICmpULT(llvm::ConstantVector::get(numbers), count);
    body(at(full), last, mask);
  });
}

}  // namespace tenon::codegen
