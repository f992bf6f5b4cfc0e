// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/contraction_tile.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Intrinsics.h>

#include <functional>
#include <string>

namespace tenon::codegen {

namespace {

using llvm::Value;

/// Accumulators in one list, [partial sum][row][vector], so that loops carry them as they are.
using Accumulators = std::vector<Value*>;

class TileEmitter {
 public:
  TileEmitter(llvm::IRBuilder<>& builder, const TileRequest& request)
      : builder_(builder), request_(request) {
    llvm::Type* scalar =
        request.type == DataType::f64 ? builder.getDoubleTy() : builder.getFloatTy();
    vector_type_ = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(request.lanes));
    for (int row = 0; row < request.rows; ++row) {
      Value* offset = builder.CreateMul(request.row_step, builder.getInt64(row));
      rows_.push_back(advance(request.broadcast.pointer, offset));
    }
  }

  std::vector<std::vector<Value*>> run() {
    Accumulators sums(static_cast<size_t>(request_.partial_sums * tile_size()),
                      llvm::Constant::getNullValue(vector_type_));
    sums = request_.loops.empty() ? step(sums, zero(), zero(), 0) : loop(0, zero(), zero(), sums);
    std::vector<std::vector<Value*>> result;
    for (int row = 0; row < request_.rows; ++row) {
      result.emplace_back();
      for (int vector = 0; vector < request_.vectors; ++vector) {
        const int element = row * request_.vectors + vector;
        Value* total = sums[element];
        for (int partial = 1; partial < request_.partial_sums; ++partial) {
          total = builder_.CreateFAdd(total, sums[partial * tile_size() + element]);
        }
        result.back().push_back(total);
      }
    }
    return result;
  }

 private:
  static bool may_be_empty(Value* extent) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(extent);
    return !constant || constant->getSExtValue() <= 0;
  }
  int tile_size() const { return request_.rows * request_.vectors; }
  Value* zero() { return builder_.getInt64(0); }
  Value* advance(Value* pointer, Value* bytes) {
    return builder_.CreateGEP(builder_.getInt8Ty(), pointer, bytes);
  }

  Value* load(const TileOperand& operand, Value* pointer, llvm::Type* shape_like, Value* mask) {
    llvm::Type* stored = storage_type(builder_.getContext(), operand.stored);
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(shape_like)) {
      stored = llvm::FixedVectorType::get(stored, vector->getNumElements());
    }
    const llvm::Align alignment(static_cast<uint64_t>(operand.alignment));
    Value* value =
        mask ? builder_.CreateMaskedLoad(stored, pointer, alignment, mask,
                                         llvm::Constant::getNullValue(stored))
             : static_cast<Value*>(builder_.CreateAlignedLoad(stored, pointer, alignment));
    return widen(value, operand.stored, shape_like);
  }

  /// f16 and bf16 to the type of the sums.
  Value* widen(Value* value, DataType stored, llvm::Type* result) {
    if (stored == DataType::bf16) {
      llvm::Type* bits = result->getWithNewType(builder_.getInt32Ty());
      value = builder_.CreateShl(builder_.CreateZExt(value, bits), 16);
      return builder_.CreateBitCast(value, result);
    }
    return stored == DataType::f16 ? builder_.CreateFPExt(value, result) : value;
  }

  /// One product for every accumulator of a partial sum.
  Accumulators step(Accumulators sums, Value* broadcast_offset, Value* vector_offset, int partial) {
    std::vector<Value*> vectors;
    const int bytes = request_.lanes * bit_width(request_.vector.stored) / 8;
    for (int vector = 0; vector < request_.vectors; ++vector) {
      Value* pointer = advance(request_.vector.pointer, vector_offset);
      pointer = advance(pointer, builder_.getInt64(static_cast<int64_t>(vector) * bytes));
      Value* mask = request_.masks.empty() ? nullptr : request_.masks[vector];
      vectors.push_back(load(request_.vector, pointer, vector_type_, mask));
    }
    for (int row = 0; row < request_.rows; ++row) {
      Value* scalar = load(request_.broadcast, advance(rows_[row], broadcast_offset),
                           vector_type_->getElementType(), nullptr);
      Value* splat = builder_.CreateVectorSplat(static_cast<unsigned>(request_.lanes), scalar);
      for (int vector = 0; vector < request_.vectors; ++vector) {
        Value*& sum = sums[partial * tile_size() + row * request_.vectors + vector];
        sum = builder_.CreateIntrinsic(llvm::Intrinsic::fma, {vector_type_},
                                       {splat, vectors[vector], sum});
      }
    }
    return sums;
  }

  /// for (k = first; k < last; k += stride) sums = body(k, sums); at least one iteration unless
  /// guarded.
  Accumulators counted(const char* name, Value* first, Value* last, int64_t stride, bool guarded,
                       Accumulators sums,
                       const std::function<Accumulators(Value*, Accumulators)>& body) {
    llvm::Function* function = builder_.GetInsertBlock()->getParent();
    llvm::BasicBlock* before = builder_.GetInsertBlock();
    auto* block = llvm::BasicBlock::Create(builder_.getContext(), name, function);
    auto* after =
        llvm::BasicBlock::Create(builder_.getContext(), std::string(name) + ".end", function);
    if (guarded) {
      builder_.CreateCondBr(builder_.CreateICmpSLT(first, last), block, after);
    } else {
      builder_.CreateBr(block);
    }
    builder_.SetInsertPoint(block);
    llvm::PHINode* index = builder_.CreatePHI(builder_.getInt64Ty(), 2, name);
    index->addIncoming(first, before);
    std::vector<llvm::PHINode*> phis;
    Accumulators inside;
    for (Value* sum : sums) {
      phis.push_back(builder_.CreatePHI(vector_type_, 2));
      phis.back()->addIncoming(sum, before);
      inside.push_back(phis.back());
    }
    const Accumulators next = body(index, inside);
    Value* following = builder_.CreateNSWAdd(index, builder_.getInt64(stride));
    llvm::BasicBlock* latch = builder_.GetInsertBlock();
    index->addIncoming(following, latch);
    for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], latch);
    builder_.CreateCondBr(builder_.CreateICmpSLT(following, last), block, after);
    builder_.SetInsertPoint(after);
    Accumulators result;
    for (size_t i = 0; i < phis.size(); ++i) {
      llvm::PHINode* joined = builder_.CreatePHI(vector_type_, 2);
      joined->addIncoming(next[i], latch);
      if (guarded) joined->addIncoming(sums[i], before);
      result.push_back(joined);
    }
    return result;
  }

  Accumulators loop(size_t level, Value* broadcast_offset, Value* vector_offset,
                    Accumulators sums) {
    const DepthLoop& depth = request_.loops[level];
    const auto offset = [&](Value* base, Value* index, Value* bytes) {
      return builder_.CreateAdd(base, builder_.CreateMul(index, bytes));
    };
    if (level + 1 < request_.loops.size()) {
      return counted("depth", zero(), depth.extent, 1, may_be_empty(depth.extent), std::move(sums),
                     [&](Value* index, Accumulators inside) {
                       return loop(level + 1, offset(broadcast_offset, index, depth.broadcast_step),
                                   offset(vector_offset, index, depth.vector_step), inside);
                     });
    }
    const auto steps = [&](int count) {
      return [&, count](Value* index, Accumulators inside) {
        for (int i = 0; i < count; ++i) {
          Value* at = builder_.CreateAdd(index, builder_.getInt64(i));
          inside = step(std::move(inside), offset(broadcast_offset, at, depth.broadcast_step),
                        offset(vector_offset, at, depth.vector_step), i % request_.partial_sums);
        }
        return inside;
      };
    };
    const int unroll = request_.unroll;
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(depth.extent);
    if (constant && constant->getSExtValue() == unroll)
      return steps(unroll)(zero(), std::move(sums));
    if (unroll == 1) {
      return counted("depth", zero(), depth.extent, 1, may_be_empty(depth.extent), std::move(sums),
                     steps(1));
    }
    const bool whole = constant && constant->getSExtValue() % unroll == 0;
    Value* body_end = builder_.CreateMul(
        builder_.CreateUDiv(depth.extent, builder_.getInt64(unroll)), builder_.getInt64(unroll));
    const bool never_empty = constant && constant->getSExtValue() >= unroll;
    sums = counted("depth", zero(), body_end, unroll, !never_empty, std::move(sums), steps(unroll));
    if (whole) return sums;
    return counted("depth.rest", body_end, depth.extent, 1, true, std::move(sums), steps(1));
  }

  llvm::IRBuilder<>& builder_;
  const TileRequest& request_;
  llvm::FixedVectorType* vector_type_ = nullptr;
  std::vector<Value*> rows_;
};

}  // namespace

llvm::Type* storage_type(llvm::LLVMContext& context, DataType type) {
  switch (type) {
    case DataType::f64:
      return llvm::Type::getDoubleTy(context);
    case DataType::f16:
      return llvm::Type::getHalfTy(context);
    case DataType::bf16:
      return llvm::Type::getInt16Ty(context);
    default:
      return llvm::Type::getFloatTy(context);
  }
}

std::vector<std::vector<Value*>> emit_tile(llvm::IRBuilder<>& builder, const TileRequest& request) {
  return TileEmitter(builder, request).run();
}

}  // namespace tenon::codegen
