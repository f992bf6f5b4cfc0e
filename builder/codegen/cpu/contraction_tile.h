// SPDX-License-Identifier: Apache-2.0
// The register tile of a contraction: rows x vectors accumulators over a nest of depth loops.
#pragma once

#include <tenon/data_type.h>

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <vector>

namespace tenon::codegen {

/// One loop of the sum, and how far its step moves each operand in bytes.
struct DepthLoop {
  llvm::Value* extent = nullptr;          // i64
  llvm::Value* broadcast_step = nullptr;  // i64
  llvm::Value* vector_step = nullptr;     // i64
};

/// An operand as it lies in memory.
struct TileOperand {
  llvm::Value* pointer = nullptr;  // at depth 0 of row 0, lane 0
  DataType stored = DataType::f32;
  int alignment = 1;
};

struct TileRequest {
  int rows = 1;
  int vectors = 1;
  int lanes = 8;
  DataType type = DataType::f32;  // of products and sums: f32 or f64
  TileOperand broadcast, vector;
  llvm::Value* row_step = nullptr;  // i64: bytes between rows of the broadcast operand
  std::vector<DepthLoop> loops;     // outermost first; empty sums are a single product
  int unroll = 1;                   // steps of the last loop in its body
  int partial_sums = 1;             // accumulators of one element; divides `unroll`
  std::vector<llvm::Value*> masks;  // by vector, of active lanes; empty or null: all are
};

/// How LLVM sees a stored element; bf16 is its 16 bits.
llvm::Type* storage_type(llvm::LLVMContext& context, DataType type);

/// Sums by row, then by vector. Leaves the builder in the block after the loops.
std::vector<std::vector<llvm::Value*>> emit_tile(llvm::IRBuilder<>& builder,
                                                 const TileRequest& request);

}  // namespace tenon::codegen
