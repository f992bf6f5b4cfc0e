// SPDX-License-Identifier: Apache-2.0
// Instructions for the arithmetic of expressions, on scalars and vectors alike.
#pragma once

#include "builder/loop/expression.h"

#include <llvm/IR/IRBuilder.h>

namespace tenon::codegen {

/// Whether generated code can hold elements of this type.
bool representable(DataType type);

/// Meaning as in builder/loop/expression.h. In registers bool is i1, f16 and bf16 are their 16
/// bits, and integers carry no sign. All operands of one call are scalars, or vectors of the same
/// length.
class Arithmetic {
 public:
  explicit Arithmetic(llvm::IRBuilder<>& builder) : builder_(builder) {}

  /// Scalar type in registers, and in memory (bool is a byte there).
  llvm::Type* register_type(DataType type);
  llvm::Type* memory_type(DataType type);
  llvm::Constant* constant(const loop::Expr& expression);
  llvm::Value* to_register(DataType type, llvm::Value* stored);
  llvm::Value* to_memory(DataType type, llvm::Value* value);

  /// `type`: of the operands.
  llvm::Value* unary(loop::ExprOp op, DataType type, llvm::Value* a);
  llvm::Value* binary(loop::ExprOp op, DataType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* fused_multiply_add(DataType type, llvm::Value* a, llvm::Value* b, llvm::Value* c);
  llvm::Value* cast(DataType to, DataType from, llvm::Value* a);
  llvm::Value* bitcast(DataType to, llvm::Value* a);
  llvm::Value* combine(loop::Combiner combiner, DataType type, llvm::Value* a, llvm::Value* b);
  /// Whether this op is one of unary() or binary().
  static bool is_unary(loop::ExprOp op);
  static bool is_binary(loop::ExprOp op);

 private:
  llvm::Type* shaped(llvm::Type* scalar, llvm::Value* like);
  llvm::Value* widen(DataType type, llvm::Value* a);   // f16, bf16 -> f32
  llvm::Value* narrow(DataType type, llvm::Value* a);  // f32 -> f16, bf16
  llvm::Value* float_binary(loop::ExprOp op, llvm::Value* a, llvm::Value* b);
  /// The magnitudes of a and b are at most a factor 2^largest_ratio apart.
  llvm::Value* float_remainder(llvm::Value* a, llvm::Value* b, int largest_ratio);
  llvm::Value* integer_binary(loop::ExprOp op, bool is_signed, llvm::Value* a, llvm::Value* b);
  llvm::Value* integer_divide(loop::ExprOp op, bool is_signed, llvm::Value* a, llvm::Value* b);
  llvm::Value* bool_binary(loop::ExprOp op, llvm::Value* a, llvm::Value* b);
  llvm::IRBuilder<>& builder_;
};

}  // namespace tenon::codegen
