// SPDX-License-Identifier: Apache-2.0
// Emits expressions at one point of the loops, or at `lanes` neighbouring points at once.
#pragma once

#include "builder/codegen/cpu/arithmetic.h"
#include "builder/codegen/cpu/emit_context.h"
#include "builder/codegen/cpu/guards.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tenon::codegen {

/// Where expressions are evaluated.
struct Point {
  std::map<int, llvm::Value*> axes;  ///< i64; of the vector axis: the position of lane 0
  int vector_axis = -1;              ///< lane l is `l` further along this axis
  int lanes = 1;                     ///< 1: everything is scalar
  llvm::Value* mask = nullptr;       ///< <lanes x i1>, at least one of them set; null: all lanes
};

/// How ExprOp::stage nodes are found.
struct StageSource {
  /// Whether lanes see different values, apart from what the node's operands say.
  std::function<bool(const loop::Expr&)> varies;
  /// A scalar when neither `varies` nor an operand does, else a vector.
  std::function<llvm::Value*(const loop::Expr&, class ExpressionEmitter&)> value;
};

/// Elements in memory that an expression addresses.
struct MemoryReference {
  llvm::Value* base = nullptr;
  DataType type = DataType::f32;
  loop::ExprPointer offset;  ///< in elements
  int buffer = -1;           ///< for checks; -1: scratch, never checked
  bool invariant = false;    ///< nothing writes it while the kernel runs
};

/// A value that all lanes share stays a scalar (LLVM scalar type); others are vectors of `lanes`.
/// Every node is emitted once for each emitter; make one emitter for each straight piece of code.
class ExpressionEmitter {
 public:
  ExpressionEmitter(EmitContext& context, Point point, StageSource stages);

  /// Values of several expressions, with loads below selects performed only where they are chosen.
  std::vector<llvm::Value*> emit(const std::vector<loop::ExprPointer>& roots);
  llvm::Value* emit(const loop::ExprPointer& root);
  /// The scalar at lane 0 (`root` must use only axes, dims and uniform values where it varies).
  llvm::Value* emit_base(const loop::ExprPointer& root);
  /// The value for all lanes: scalars become vectors.
  llvm::Value* splat(llvm::Value* value);

  /// Whether lanes differ.
  bool varies(const loop::ExprPointer& expression);
  /// How much the expression grows from lane to lane, when that is one value.
  std::optional<loop::Dim> lane_step(const loop::ExprPointer& expression);

  /// Element offset of logical indices through the buffer's layout.
  MemoryReference reference(int buffer, const std::vector<loop::ExprPointer>& indices);
  /// `guard`: null, i1 or a vector of them; where it does not hold the result is zero.
  llvm::Value* load(const MemoryReference& memory, llvm::Value* guard = nullptr);
  /// Stores the active lanes.
  void store(const MemoryReference& memory, llvm::Value* value);

  const Point& point() const { return point_; }
  EmitContext& context() { return context_; }
  Arithmetic& arithmetic() { return arithmetic_; }

 private:
  llvm::Value* node(const loop::ExprPointer& expression, bool base);
  llvm::Value* make(const loop::ExprPointer& expression, bool base);
  llvm::Value* guarded_load(const loop::Expr& expression);
  llvm::Value* any(llvm::Value* mask);
  llvm::Value* active(llvm::Value* guard);
  llvm::Value* lane_numbers();
  llvm::Value* lane_offsets(const MemoryReference& memory);
  void check(const MemoryReference& memory, llvm::Value* offsets, llvm::Value* mask);
  llvm::Value* scalar_load(const MemoryReference& memory, llvm::Value* guard);
  llvm::Value* contiguous_load(const MemoryReference& memory, llvm::Value* guard);
  llvm::Value* every_second(const MemoryReference& memory, llvm::Value* guard);
  bool masks_elements(DataType type) const;
  llvm::Value* gather(const MemoryReference& memory, llvm::Value* guard);
  llvm::Value* address(const MemoryReference& memory, llvm::Value* offset);
  llvm::Align alignment(DataType type) const;

  EmitContext& context_;
  llvm::IRBuilder<>& builder_;
  Arithmetic arithmetic_;
  Point point_;
  StageSource stages_;
  std::optional<Guards> guards_;
  std::set<const loop::Expr*> guarding_;  // loads whose conditions are being emitted
  std::map<const loop::Expr*, llvm::Value*> values_, bases_;
  std::map<const loop::Expr*, bool> varies_;
  std::map<const loop::Expr*, std::optional<loop::Dim>> steps_;
  std::vector<loop::ExprPointer> kept_;  // expressions made here, whose addresses are keys above
};

}  // namespace tenon::codegen
