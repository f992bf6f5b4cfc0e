// SPDX-License-Identifier: Apache-2.0
// One kernel function under construction: arguments, evaluated dims, loops and error exits.
#pragma once

#include "builder/codegen/cpu/generate.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <vector>

namespace tenon::codegen {

/// Symbol of the function in every module; the kernel's own name may be anything.
inline constexpr const char* kEntryName = "tenon_kernel";

/// Owns nothing of LLVM: module and context belong to generate(). `builder` stands where the next
/// instruction of the function goes; what is loaded once per call is put into the entry block.
class EmitContext {
 public:
  EmitContext(const loop::Kernel& kernel, const loop::Schedule& schedule, const Target& target,
              const CodeOptions& options, llvm::Module& module, GeneratedKernel& generated);

  const loop::Kernel& kernel;
  const loop::Schedule& schedule;
  const Target& target;
  const CodeOptions& options;
  llvm::Module& module;
  GeneratedKernel& generated;  ///< the emitters fill grid, grain, scratch_bytes; dim() fills dims
  llvm::IRBuilder<> builder;
  llvm::Function* function = nullptr;
  llvm::Value *begin = nullptr, *end = nullptr;  ///< i64: work items of this call

  llvm::Value* index(int64_t value) { return builder.getInt64(value); }
  /// i64 value of a dim: a constant, or loaded from KernelArgs::dims in the entry block.
  llvm::Value* dim(const ir::Dim& dim);
  /// Base address of a buffer.
  llvm::Value* buffer(int number);
  /// Bytes of a buffer, for checked kernels.
  llvm::Value* buffer_bytes(int number);
  /// This worker's scratch, 64-byte aligned.
  llvm::Value* scratch();
  /// Address of at least `bytes` zero bytes on the stack: where loads that must not happen read.
  llvm::Value* zeros(int64_t bytes);
  /// A stack slot in the entry block, which becomes a register.
  llvm::AllocaInst* slot(llvm::Type* type, const char* name);

  /// for (i = begin; i < end; i += step) body(i). No loop when it provably runs once or never.
  void loop(llvm::Value* begin, llvm::Value* end, int64_t step, const char* name,
            const std::function<void(llvm::Value*)>& body);
  /// if (condition) body().
  void branch(llvm::Value* condition, const std::function<void()>& body);

  /// Returns kKernelAccessOutOfBounds from the kernel where `condition` (i1) holds.
  void fail_if(llvm::Value* condition, int buffer, llvm::Value* offset, llvm::Value* extent);

  /// Remembers the first error; emission goes on with undefined values, generate() returns it.
  void set_error(Status status);
  const Status& error() const { return error_; }
  /// Returns kKernelOk and closes the function.
  void finish();

 private:
  llvm::Value* argument_field(unsigned field, llvm::Type* type, const char* name);
  llvm::IRBuilder<> entry_;  // before the entry block's terminator
  llvm::Value *args_ = nullptr, *worker_ = nullptr, *scratch_ = nullptr;
  llvm::Value *dims_ = nullptr, *buffers_ = nullptr, *bytes_ = nullptr, *errors_ = nullptr;
  std::map<ir::Dim, llvm::Value*> dim_values_;
  std::map<int, llvm::Value*> buffer_values_, byte_values_;
  llvm::AllocaInst* zeros_ = nullptr;
  llvm::Instruction* zeros_store_ = nullptr;
  int64_t zeros_bytes_ = 0;
  int accesses_ = 0;
  Status error_;
};

}  // namespace tenon::codegen
