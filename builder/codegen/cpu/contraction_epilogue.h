// SPDX-License-Identifier: Apache-2.0
// The stages after the sum of a contraction, on the registers of a tile.
#pragma once

#include "builder/codegen/cpu/emit_context.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tenon::codegen {

/// The columns of a tile: vectors of `lanes`, the last of which may be cut off.
struct ColumnSpan {
  int column = -1;  ///< axis
  int vectors = 1;
  int lanes = 8;
  llvm::Value* remaining =
      nullptr;  ///< i64: active columns, when fewer than vectors * lanes may be

  /// Active lanes of `count` vectors from `first` on; null when all are.
  llvm::Value* mask(llvm::IRBuilder<>& builder, int first, int count) const;
};

/// A tile whose sums are complete.
struct FinishedTile {
  std::map<int, llvm::Value*> axes;  ///< grid axes at row 0, lane 0
  int row_axis = -1;
  ColumnSpan columns;
  std::vector<std::vector<llvm::Value*>> sums;  ///< by row, then by vector
};

/// Emits stores of the sums and of every later stage. Large epilogues loop over rows kept in
/// scratch.
void emit_epilogue(EmitContext& context, const FinishedTile& tile);

/// Bytes of scratch that tiles of this many elements may use.
int64_t epilogue_scratch_bytes(const loop::Kernel& kernel, int rows, int elements);

}  // namespace tenon::codegen
