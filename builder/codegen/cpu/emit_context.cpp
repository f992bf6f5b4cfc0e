// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/emit_context.h"

#include "runtime/base/kernel_abi.h"

#include <llvm/IR/MDBuilder.h>

namespace tenon::codegen {

namespace {

llvm::Function* make_function(llvm::Module& module, const Target& target) {
  auto& context = module.getContext();
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* type =
      llvm::FunctionType::get(i32, {llvm::PointerType::get(context, 0), i64, i64, i32}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, kEntryName, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr("no-builtins");
  std::string features;
  for (const auto& feature : target.features) features += (features.empty() ? "+" : ",+") + feature;
  function->addFnAttr("target-cpu", "x86-64");
  function->addFnAttr("target-features", features);
  function->addFnAttr("tune-cpu", target.tuning);
  if (target.unit.bits == 512) {
    function->addFnAttr("prefer-vector-width", "512");
    function->addFnAttr("min-legal-vector-width", "512");
  }
  return function;
}

}  // namespace

EmitContext::EmitContext(const loop::Kernel& kernel, const loop::Schedule& schedule,
                         const Target& target, const CodeOptions& options, llvm::Module& module,
                         GeneratedKernel& generated)
    : kernel(kernel),
      schedule(schedule),
      target(target),
      options(options),
      module(module),
      generated(generated),
      builder(module.getContext()),
      function(make_function(module, target)),
      entry_(module.getContext()) {
  auto* entry = llvm::BasicBlock::Create(module.getContext(), "entry", function);
  auto* body = llvm::BasicBlock::Create(module.getContext(), "body", function);
  entry_.SetInsertPoint(llvm::BranchInst::Create(body, entry));
  builder.SetInsertPoint(body);
  args_ = function->getArg(0);
  begin = function->getArg(1);
  end = function->getArg(2);
  worker_ = entry_.CreateZExt(function->getArg(3), entry_.getInt64Ty(), "worker");
}

llvm::Value* EmitContext::argument_field(unsigned field, llvm::Type* type, const char* name) {
  auto* load = entry_.CreateAlignedLoad(
      type, entry_.CreateConstInBoundsGEP1_64(entry_.getInt64Ty(), args_, field), llvm::Align(8),
      name);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(load->getContext(), {}));
  return load;
}

llvm::Value* EmitContext::dim(const ir::Dim& dim) {
  if (dim.is_constant()) return index(dim.constant());
  auto [found, added] = dim_values_.try_emplace(dim, nullptr);
  if (!added) return found->second;
  if (!dims_) dims_ = argument_field(1, entry_.getPtrTy(), "dims");
  auto* load = entry_.CreateAlignedLoad(
      entry_.getInt64Ty(),
      entry_.CreateConstInBoundsGEP1_64(entry_.getInt64Ty(), dims_, generated.dims.size()),
      llvm::Align(8), "dim");
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(load->getContext(), {}));
  generated.dims.push_back(dim);
  return found->second = load;
}

llvm::Value* EmitContext::buffer(int number) {
  auto [found, added] = buffer_values_.try_emplace(number, nullptr);
  if (!added) return found->second;
  if (!buffers_) buffers_ = argument_field(0, entry_.getPtrTy(), "buffers");
  auto* load = entry_.CreateAlignedLoad(
      entry_.getPtrTy(), entry_.CreateConstInBoundsGEP1_64(entry_.getPtrTy(), buffers_, number),
      llvm::Align(8), "buffer");
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(load->getContext(), {}));
  return found->second = load;
}

llvm::Value* EmitContext::buffer_bytes(int number) {
  auto [found, added] = byte_values_.try_emplace(number, nullptr);
  if (!added) return found->second;
  if (!bytes_) bytes_ = argument_field(2, entry_.getPtrTy(), "buffer_bytes");
  return found->second = entry_.CreateAlignedLoad(
             entry_.getInt64Ty(),
             entry_.CreateConstInBoundsGEP1_64(entry_.getInt64Ty(), bytes_, number), llvm::Align(8),
             "bytes");
}

llvm::Value* EmitContext::scratch() {
  if (scratch_) return scratch_;
  auto* base = argument_field(3, entry_.getPtrTy(), "scratch");
  auto* stride = argument_field(4, entry_.getInt64Ty(), "scratch_stride");
  return scratch_ = entry_.CreateGEP(entry_.getInt8Ty(), base, entry_.CreateMul(stride, worker_));
}

llvm::Value* EmitContext::zeros(int64_t bytes) {
  bytes = (bytes + 63) / 64 * 64;
  if (zeros_ && bytes <= zeros_bytes_) return zeros_;
  auto* type = llvm::FixedVectorType::get(entry_.getInt8Ty(), static_cast<unsigned>(bytes));
  auto* storage = entry_.CreateAlloca(type, nullptr, "zeros");
  storage->setAlignment(llvm::Align(64));
  auto* store =
      entry_.CreateAlignedStore(llvm::Constant::getNullValue(type), storage, llvm::Align(64));
  if (zeros_) {
    zeros_store_->eraseFromParent();
    zeros_->replaceAllUsesWith(storage);
    // The uses may stand before the new slot only within the entry block, where none reads it.
    zeros_->eraseFromParent();
  }
  zeros_ = storage;
  zeros_store_ = store;
  zeros_bytes_ = bytes;
  return zeros_;
}

llvm::AllocaInst* EmitContext::slot(llvm::Type* type, const char* name) {
  return entry_.CreateAlloca(type, nullptr, name);
}

void EmitContext::loop(llvm::Value* begin, llvm::Value* end, int64_t step, const char* name,
                       const std::function<void(llvm::Value*)>& body) {
  auto* constant_begin = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto* constant_end = llvm::dyn_cast<llvm::ConstantInt>(end);
  bool known = constant_begin && constant_end;
  int64_t span = known ? constant_end->getSExtValue() - constant_begin->getSExtValue() : 0;
  if (known && span <= 0) return;
  if (known && span <= step) return body(begin);
  auto& context = module.getContext();
  auto* before = builder.GetInsertBlock();
  auto* block = llvm::BasicBlock::Create(context, name, function);
  auto* exit = llvm::BasicBlock::Create(context, std::string(name) + ".exit", function);
  if (known) {
    builder.CreateBr(block);
  } else {
    builder.CreateCondBr(builder.CreateICmpSLT(begin, end), block, exit);
  }
  builder.SetInsertPoint(block);
  auto* phi = builder.CreatePHI(builder.getInt64Ty(), 2, name);
  phi->addIncoming(begin, before);
  body(phi);
  auto* next = builder.CreateNSWAdd(phi, index(step));
  phi->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpSLT(next, end), block, exit);
  builder.SetInsertPoint(exit);
}

void EmitContext::branch(llvm::Value* condition, const std::function<void()>& body) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    if (!constant->isZero()) body();
    return;
  }
  auto* block = llvm::BasicBlock::Create(module.getContext(), "then", function);
  auto* exit = llvm::BasicBlock::Create(module.getContext(), "endif", function);
  builder.CreateCondBr(condition, block, exit);
  builder.SetInsertPoint(block);
  body();
  builder.CreateBr(exit);
  builder.SetInsertPoint(exit);
}

void EmitContext::fail_if(llvm::Value* condition, int buffer, llvm::Value* offset,
                          llvm::Value* extent) {
  if (!errors_) errors_ = argument_field(5, entry_.getPtrTy(), "errors");
  auto& context = module.getContext();
  auto* fail = llvm::BasicBlock::Create(context, "fail", function);
  auto* good = llvm::BasicBlock::Create(context, "good", function);
  builder.CreateCondBr(condition, fail, good,
                       llvm::MDBuilder(context).createBranchWeights(1, 2000));
  builder.SetInsertPoint(fail);
  auto* error = builder.CreateGEP(
      builder.getInt8Ty(), errors_,
      builder.CreateMul(worker_, index(static_cast<int64_t>(sizeof(KernelError)))));
  auto store = [&](llvm::Value* value, size_t at) {
    builder.CreateAlignedStore(
        value, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), error, at), llvm::Align(4));
  };
  store(builder.getInt32(static_cast<uint32_t>(buffer)), offsetof(KernelError, buffer));
  store(builder.getInt32(static_cast<uint32_t>(accesses_++)), offsetof(KernelError, access));
  store(offset, offsetof(KernelError, index));
  store(extent, offsetof(KernelError, extent));
  builder.CreateRet(builder.getInt32(kKernelAccessOutOfBounds));
  builder.SetInsertPoint(good);
}

void EmitContext::set_error(Status status) {
  if (error_.ok()) error_ = std::move(status);
}

void EmitContext::finish() { builder.CreateRet(builder.getInt32(kKernelOk)); }

}  // namespace tenon::codegen
