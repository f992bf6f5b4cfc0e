// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/contraction_epilogue.h"

#include "builder/codegen/cpu/expression_emitter.h"
#include "builder/loop/rewrite.h"

#include <bit>

namespace tenon::codegen {

namespace {

using llvm::Value;

/// Operations on all registers of a tile beyond which inlining them costs more compile time than a
/// loop.
constexpr int kInlineOperations = 400;

int operations_of(const loop::Kernel& kernel) {
  int count = 0;
  for (size_t s = 1; s < kernel.stages.size(); ++s) {
    for (const loop::ExprPointer& value : kernel.stages[s].values) {
      loop::visit(value, [&](const loop::ExprPointer& node) {
        count += node->op > loop::ExprOp::reduce && node->type != DataType::i64;
      });
    }
  }
  return count;
}

bool is_large(const loop::Kernel& kernel, int rows, int vectors) {
  return operations_of(kernel) * rows * vectors > kInlineOperations;
}

/// Runs the stages after the first for one vector of points.
void emit_stages(EmitContext& context, Point point, Value* sum) {
  std::vector<std::vector<Value*>> values = {{sum}};
  StageSource source;
  source.varies = [&](const loop::Expr& node) {
    return values[static_cast<size_t>(node.id)][static_cast<size_t>(node.slot)]
        ->getType()
        ->isVectorTy();
  };
  source.value = [&](const loop::Expr& node, ExpressionEmitter&) {
    return values[static_cast<size_t>(node.id)][static_cast<size_t>(node.slot)];
  };
  ExpressionEmitter emitter(context, std::move(point), source);
  for (size_t s = 0; s < context.kernel.stages.size(); ++s) {
    const loop::Stage& stage = context.kernel.stages[s];
    if (s > 0) values.push_back(emitter.emit(stage.values));
    if (stage.buffer >= 0) {
      emitter.store(emitter.reference(stage.buffer, stage.indices), values[s][0]);
    }
  }
}

Point point_of(EmitContext& context, const FinishedTile& tile, Value* row, int first, int count) {
  llvm::IRBuilder<>& builder = context.builder;
  Point point;
  point.axes = tile.axes;
  if (tile.row_axis >= 0) {
    point.axes[tile.row_axis] = builder.CreateNSWAdd(point.axes[tile.row_axis], row);
  }
  const int column = tile.columns.column;
  point.axes[column] =
      builder.CreateNSWAdd(point.axes[column], context.index(first * tile.columns.lanes));
  point.vector_axis = column;
  point.lanes = count * tile.columns.lanes;
  point.mask = tile.columns.mask(builder, first, count);
  return point;
}

/// Stores the sums to scratch and loops over rows, with vectors that LLVM can split evenly.
void emit_by_rows(EmitContext& context, const FinishedTile& tile) {
  llvm::IRBuilder<>& builder = context.builder;
  llvm::Type* scalar = tile.sums[0][0]->getType()->getScalarType();
  const int width = tile.columns.vectors * tile.columns.lanes;
  const llvm::Align alignment(tile.columns.lanes * scalar->getPrimitiveSizeInBits() / 8);
  const auto address = [&](Value* row, int vector) {
    Value* offset = builder.CreateNSWAdd(builder.CreateNSWMul(row, context.index(width)),
                                         context.index(vector * tile.columns.lanes));
    return builder.CreateGEP(scalar, context.scratch(), offset);
  };
  for (size_t row = 0; row < tile.sums.size(); ++row) {
    for (int vector = 0; vector < tile.columns.vectors; ++vector) {
      builder.CreateAlignedStore(tile.sums[row][vector],
                                 address(context.index(static_cast<int64_t>(row)), vector),
                                 alignment);
    }
  }
  const auto rows = context.index(static_cast<int64_t>(tile.sums.size()));
  context.loop(context.index(0), rows, 1, "epilogue", [&](Value* row) {
    for (int first = 0; first < tile.columns.vectors;) {
      const int count =
          static_cast<int>(std::bit_floor(static_cast<unsigned>(tile.columns.vectors - first)));
      auto* type =
          llvm::FixedVectorType::get(scalar, static_cast<unsigned>(count * tile.columns.lanes));
      Value* sum = builder.CreateAlignedLoad(type, address(row, first), alignment);
      emit_stages(context, point_of(context, tile, row, first, count), sum);
      first += count;
    }
  });
}

}  // namespace

Value* ColumnSpan::mask(llvm::IRBuilder<>& builder, int first, int count) const {
  if (!remaining) return nullptr;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(remaining);
  if (constant && constant->getSExtValue() >= static_cast<int64_t>(first + count) * lanes) {
    return nullptr;
  }
  std::vector<llvm::Constant*> numbers;
  for (int lane = 0; lane < count * lanes; ++lane) {
    numbers.push_back(builder.getInt64(static_cast<uint64_t>(first * lanes + lane)));
  }
  return builder.CreateICmpSLT(
      llvm::ConstantVector::get(numbers),
      builder.CreateVectorSplat(static_cast<unsigned>(count * lanes), remaining));
}

void emit_epilogue(EmitContext& context, const FinishedTile& tile) {
  if (is_large(context.kernel, static_cast<int>(tile.sums.size()), tile.columns.vectors)) {
    emit_by_rows(context, tile);
    return;
  }
  for (size_t row = 0; row < tile.sums.size(); ++row) {
    for (int vector = 0; vector < tile.columns.vectors; ++vector) {
      Value* row_value = context.index(static_cast<int64_t>(row));
      emit_stages(context, point_of(context, tile, row_value, vector, 1), tile.sums[row][vector]);
    }
  }
}

int64_t epilogue_scratch_bytes(const loop::Kernel& kernel, int rows, int elements) {
  return operations_of(kernel) > 0 ? static_cast<int64_t>(rows) * elements *
                                         bit_width(kernel.stages[0].reduction->type(0)) / 8
                                   : 0;
}

}  // namespace tenon::codegen
