// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/contraction.h"

#include "builder/codegen/cpu/contraction_epilogue.h"
#include "builder/codegen/cpu/contraction_tile.h"
#include "builder/loop/contraction.h"
#include "builder/loop/contraction_operand.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace tenon::codegen {

namespace {

using ir::Dim;
using llvm::Value;

/// Multiply-adds that are worth waking a thread for.
constexpr double kGrainWork = 1e6;
/// Independent sums that hide the latency of a multiply-add.
constexpr int kChains = 8;
constexpr int kMostRows = 16;
/// Half of a second-level cache.
constexpr int64_t kCachedBytes = 512 * 1024;
/// Loops of so few steps are written out.
constexpr int64_t kShortLoop = 8;

/// One loop over the depth, before its numbers become instructions.
struct DepthStep {
  Dim extent, broadcast, vector;
};

class ContractionEmitter {
 public:
  ContractionEmitter(EmitContext& context, loop::Contraction roles)
      : context_(context),
        builder_(context.builder),
        kernel_(context.kernel),
        schedule_(context.schedule),
        roles_(std::move(roles)),
        type_(kernel_.stages[0].reduction->type(0)),
        lanes_(context.target.unit.bits / bit_width(type_)) {}

  Status run();

 private:
  Status check();
  void merge_depth();
  void plan_items();
  void nest(size_t level);
  void panels();
  void rows();
  void tile(Value* row, int rows);
  void check_range(int buffer, Value* first, Value* span_low, Value* span_high, DataType stored);
  Value* grid_offset(const loop::OperandMap& map);

  int64_t tile_of(int axis) const {
    const bool given =
        static_cast<size_t>(axis) < schedule_.tile.size() && schedule_.tile[axis] > 0;
    return given ? schedule_.tile[axis] : 1;
  }
  Value* dim(const Dim& value) { return context_.dim(value); }

  EmitContext& context_;
  llvm::IRBuilder<>& builder_;
  const loop::Kernel& kernel_;
  const loop::Schedule& schedule_;
  const loop::Contraction roles_;
  const DataType type_;
  const int lanes_;
  loop::OperandMap broadcast_, vector_;
  std::vector<DepthStep> depth_;
  std::vector<int> order_;                         ///< grid axes, the outermost loop first
  std::vector<int> item_order_;                    ///< the same, as items count through them
  std::map<int, std::pair<Value*, Value*>> item_;  ///< first and one past the last, by axis
  std::map<int, Value*> position_;
  ColumnSpan columns_;
};

Status unfit(const loop::Schedule& schedule, const std::string& why) {
  return Status(ErrorCode::unsupported,
                "schedule \"" + to_string(schedule) + "\" does not fit the kernel: " + why);
}

Status ContractionEmitter::check() {
  broadcast_ = *loop::operand_map(kernel_, roles_.broadcast);
  vector_ = *loop::operand_map(kernel_, roles_.vector);
  const int width = schedule_.vector_elements;
  if (schedule_.vector_axis != roles_.column)
    return unfit(schedule_, "lanes run along another axis");
  if (width <= 0 || width % lanes_ != 0) {
    return unfit(schedule_, "its width is no multiple of " + std::to_string(lanes_));
  }
  if (schedule_.rows < 1 || schedule_.rows > kMostRows || schedule_.unroll < 1) {
    return unfit(schedule_, "a tile has 1 to 16 rows, and at least one step");
  }
  const bool has_rows =
      std::find(roles_.rows.begin(), roles_.rows.end(), schedule_.row_axis) != roles_.rows.end();
  if (!has_rows && (schedule_.row_axis >= 0 || schedule_.rows != 1)) {
    return unfit(schedule_, "the row axis is no row");
  }
  if (schedule_.packed != (vector_.panel_axis >= 0) ||
      (schedule_.packed && vector_.panel_size != width)) {
    return unfit(schedule_, "the constant operand is not packed for it");
  }
  if (vector_.stride(roles_.column) != Dim(1)) return unfit(schedule_, "columns are strided");
  if (tile_of(roles_.column) % width != 0) return unfit(schedule_, "an item cuts a panel");
  return Status();
}

/// Drops loops of one step, and joins loops through which both operands advance as one.
void ContractionEmitter::merge_depth() {
  for (const int number : roles_.depth) {
    const auto& axes = kernel_.stages[0].reduction->axes;
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const auto& reduced) { return reduced.axis == number; });
    DepthStep step{found->extent, broadcast_.stride(number), vector_.stride(number)};
    if (step.extent == Dim(1)) continue;
    if (!depth_.empty() && depth_.back().broadcast == step.broadcast * step.extent &&
        depth_.back().vector == step.vector * step.extent) {
      step.extent = step.extent * depth_.back().extent;
      depth_.back() = step;
    } else {
      depth_.push_back(step);
    }
  }
}

void ContractionEmitter::plan_items() {
  const auto append = [&](const std::vector<int>& axes, int apart) {
    for (const int axis : axes) {
      if (axis != apart) order_.push_back(axis);
    }
  };
  // Consecutive items share a panel of the vector operand.
  append(roles_.batch, -1);
  append(roles_.columns, roles_.column);
  order_.push_back(roles_.column);
  const size_t columns_end = order_.size();
  append(roles_.rows, schedule_.row_axis);
  if (schedule_.row_axis >= 0) order_.push_back(schedule_.row_axis);
  item_order_ = order_;
  // Where the whole operand fits the cache, they share rows: a thread then works on one part of a
  // picture through all layers, and finds there what it wrote in the layer before.
  const loop::Buffer& panels = kernel_.buffers[loop::loaded(roles_.vector)->id];
  const int64_t bytes = loop::estimate(ir::element_count(panels.type.shape)) * bit_width(type_) / 8;
  if (schedule_.packed && bytes <= kCachedBytes) {
    std::rotate(item_order_.begin(), item_order_.begin() + static_cast<int64_t>(columns_end),
                item_order_.end());
  }

  Dim grid = 1;
  double work = 1;
  for (const int axis : order_) {
    grid = grid * Dim::ceil_div(kernel_.axes[axis].extent, tile_of(axis));
    work *= static_cast<double>(
        std::clamp<int64_t>(loop::estimate(kernel_.axes[axis].extent), 1, tile_of(axis)));
  }
  for (const DepthStep& step : depth_) work *= static_cast<double>(loop::estimate(step.extent));
  context_.generated.grid = grid;
  context_.generated.grain =
      std::max<int64_t>(1, static_cast<int64_t>(kGrainWork / std::max(work, 1.0)));
  context_.generated.scratch_bytes =
      epilogue_scratch_bytes(kernel_, schedule_.rows, schedule_.vector_elements);
}

Status ContractionEmitter::run() {
  TENON_RETURN_IF_ERROR(check());
  merge_depth();
  plan_items();
  context_.loop(context_.begin, context_.end, 1, "item", [&](Value* item) {
    for (auto axis = item_order_.rbegin(); axis != item_order_.rend(); ++axis) {
      const Dim& extent = kernel_.axes[*axis].extent;
      const int64_t step = tile_of(*axis);
      const Dim count = Dim::ceil_div(extent, step);
      if (count == Dim(1)) {
        item_[*axis] = {context_.index(0), dim(extent)};
        continue;
      }
      Value* number = item;
      if (axis + 1 != item_order_.rend()) {
        number = builder_.CreateURem(item, dim(count));
        item = builder_.CreateUDiv(item, dim(count));
      }
      Value* first = builder_.CreateNSWMul(number, context_.index(step));
      Value* last = builder_.CreateNSWAdd(first, context_.index(step));
      if (!Dim::exact_div(extent, step)) {
        last = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, last, dim(extent));
      }
      item_[*axis] = {first, last};
    }
    nest(0);
  });
  return context_.error();
}

void ContractionEmitter::nest(size_t level) {
  if (level == order_.size() || order_[level] == schedule_.row_axis) return rows();
  const int axis = order_[level];
  const auto [first, last] = item_[axis];
  if (axis == roles_.column) return panels();
  if (tile_of(axis) == 1 && kernel_.axes[axis].extent != Dim(0)) {
    position_[axis] = first;
    return nest(level + 1);
  }
  context_.loop(first, last, 1, kernel_.axes[axis].name.c_str(), [&, axis = axis](Value* position) {
    position_[axis] = position;
    nest(level + 1);
  });
}

void ContractionEmitter::panels() {
  const int axis = roles_.column;
  const int width = schedule_.vector_elements;
  const size_t next =
      static_cast<size_t>(std::find(order_.begin(), order_.end(), axis) - order_.begin() + 1);
  const Dim& extent = kernel_.axes[axis].extent;
  const auto [first, last] = item_[axis];
  context_.loop(first, last, width, "panel", [&](Value* position) {
    position_[axis] = position;
    Value* left = builder_.CreateNSWSub(dim(extent), position);
    const auto full = [&] {
      columns_ = ColumnSpan{axis, width / lanes_, lanes_, nullptr};
      nest(next);
    };
    if (Dim::exact_div(extent, width)) return full();
    const auto cut = [&] {
      columns_ = ColumnSpan{axis, width / lanes_, lanes_, left};
      if (extent.is_constant()) {
        const int64_t rest = extent.constant() % width;
        columns_.vectors = static_cast<int>((rest + lanes_ - 1) / lanes_);
        columns_.remaining = context_.index(rest);
      }
      nest(next);
    };
    Value* whole = builder_.CreateICmpSGE(left, context_.index(width));
    context_.branch(whole, full);
    context_.branch(builder_.CreateNot(whole), cut);
  });
}

void ContractionEmitter::rows() {
  const int axis = schedule_.row_axis;
  if (axis < 0) return tile(nullptr, 1);
  const int height = schedule_.rows;
  const auto [first, last] = item_[axis];
  Value* count = builder_.CreateNSWSub(last, first);
  Value* rest = builder_.CreateURem(count, context_.index(height));
  Value* full_end = builder_.CreateNSWSub(last, rest);
  context_.loop(first, full_end, height, "rows", [&](Value* row) { tile(row, height); });

  const Dim& extent = kernel_.axes[axis].extent;
  const int64_t step = tile_of(axis);
  if (extent.is_constant() && (step % height == 0 || step >= extent.constant())) {
    const int64_t known = extent.constant() % height;
    if (known == 0) return;
    context_.branch(builder_.CreateICmpNE(rest, context_.index(0)),
                    [&] { tile(full_end, static_cast<int>(known)); });
    return;
  }
  // The binary digits of the rest: each size at most once, the largest first.
  for (int size = 8; size >= 1; size /= 2) {
    if (size >= height) continue;
    Value* before = builder_.CreateAnd(rest, context_.index(-2 * size));
    Value* here =
        builder_.CreateICmpNE(builder_.CreateAnd(rest, context_.index(size)), context_.index(0));
    context_.branch(here, [&] { tile(builder_.CreateNSWAdd(full_end, before), size); });
  }
}

Value* ContractionEmitter::grid_offset(const loop::OperandMap& map) {
  Value* offset = dim(map.offset.constant);
  for (const auto& [axis, coefficient] : map.offset.coefficients) {
    if (axis >= kernel_.grid_rank) continue;
    offset =
        builder_.CreateNSWAdd(offset, builder_.CreateNSWMul(position_[axis], dim(coefficient)));
  }
  if (map.panel_axis >= 0) {
    const Dim each = *Dim::exact_div(map.panel_stride, map.panel_size);
    offset =
        builder_.CreateNSWAdd(offset, builder_.CreateNSWMul(position_[map.panel_axis], dim(each)));
  }
  return offset;
}

void ContractionEmitter::check_range(int buffer, Value* first, Value* span_low, Value* span_high,
                                     DataType stored) {
  Value* extent =
      builder_.CreateUDiv(context_.buffer_bytes(buffer), context_.index(bit_width(stored) / 8));
  for (Value* span : {span_low, span_high}) {
    Value* offset = builder_.CreateAdd(first, span);
    context_.fail_if(builder_.CreateICmpUGE(offset, extent), buffer, offset, extent);
  }
}

void ContractionEmitter::tile(Value* row, int rows) {
  const int row_axis = schedule_.row_axis;
  if (row_axis >= 0) position_[row_axis] = row;
  const loop::ExprPointer broadcast = loop::loaded(roles_.broadcast);
  const loop::ExprPointer vector = loop::loaded(roles_.vector);
  const auto bytes = [](const loop::ExprPointer& load) {
    return static_cast<int64_t>(bit_width(load->type) / 8);
  };

  TileRequest request;
  request.rows = rows;
  request.vectors = columns_.vectors;
  request.lanes = lanes_;
  request.type = type_;
  const Dim row_stride = row_axis < 0 ? Dim(0) : broadcast_.stride(row_axis);
  request.row_step = dim(row_stride * Dim(bytes(broadcast)));
  if (vector_.panel_axis < 0) {
    for (int number = 0; number < columns_.vectors; ++number) {
      request.masks.push_back(columns_.mask(builder_, number, 1));
    }
  }

  Value* first[2] = {grid_offset(broadcast_), grid_offset(vector_)};
  if (context_.options.checked) {
    Value* low[2] = {context_.index(0), context_.index(0)};
    Value* high[2] = {builder_.CreateMul(dim(row_stride), context_.index(rows - 1)),
                      context_.index(columns_.vectors * lanes_ - 1)};
    if (vector_.panel_axis < 0 && columns_.remaining) {
      high[1] = builder_.CreateSub(columns_.remaining, context_.index(1));
    }
    Value* empty = builder_.getFalse();
    for (const DepthStep& step : depth_) {
      Value* steps = builder_.CreateSub(dim(step.extent), context_.index(1));
      empty = builder_.CreateOr(empty, builder_.CreateICmpSLT(steps, context_.index(0)));
      const Dim strides[2] = {step.broadcast, step.vector};
      for (int operand = 0; operand < 2; ++operand) {
        Value* span = builder_.CreateMul(steps, dim(strides[operand]));
        Value* zero = context_.index(0);
        const auto add = [&](Value*& sum, llvm::Intrinsic::ID pick) {
          sum = builder_.CreateAdd(sum, builder_.CreateBinaryIntrinsic(pick, span, zero));
        };
        add(low[operand], llvm::Intrinsic::smin);
        add(high[operand], llvm::Intrinsic::smax);
      }
    }
    context_.branch(builder_.CreateNot(empty), [&] {
      check_range(broadcast->id, first[0], low[0], high[0], broadcast->type);
      check_range(vector->id, first[1], low[1], high[1], vector->type);
    });
  }

  const auto address = [&](const loop::ExprPointer& load, Value* offset) {
    return builder_.CreateGEP(storage_type(builder_.getContext(), load->type),
                              context_.buffer(load->id), offset);
  };
  request.broadcast = {address(broadcast, first[0]), broadcast->type,
                       static_cast<int>(bytes(broadcast))};
  const int64_t element = bytes(vector);
  request.vector = {address(vector, first[1]), vector->type,
                    static_cast<int>(vector_.panel_axis >= 0 ? element * lanes_ : element)};
  for (const DepthStep& step : depth_) {
    request.loops.push_back({dim(step.extent), dim(step.broadcast * Dim(bytes(broadcast))),
                             dim(step.vector * Dim(element))});
  }

  // Few accumulators wait for one another: sum in several parts, joined at the end.
  const int accumulators = rows * columns_.vectors;
  int parts = 1;
  while (parts < 4 && accumulators * parts < kChains &&
         accumulators * parts * 2 + columns_.vectors + 1 <= context_.target.unit.registers) {
    parts *= 2;
  }
  const Dim last = depth_.empty() ? Dim(1) : depth_.back().extent;
  if (last.is_constant() && last.constant() <= kShortLoop) {
    request.unroll = static_cast<int>(std::max<int64_t>(last.constant(), 1));
  } else {
    request.partial_sums = parts;
    request.unroll = (std::max(schedule_.unroll, parts) + parts - 1) / parts * parts;
  }
  FinishedTile finished;
  finished.sums = emit_tile(builder_, request);
  finished.axes = position_;
  finished.row_axis = row_axis;
  finished.columns = columns_;
  emit_epilogue(context_, finished);
}

}  // namespace

Status emit_contraction(EmitContext& context) {
  TENON_ASSIGN(loop::Contraction roles, loop::match_contraction(context.kernel));
  return ContractionEmitter(context, std::move(roles)).run();
}

}  // namespace tenon::codegen
