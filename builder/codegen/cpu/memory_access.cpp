// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the expression emitter.
#include "builder/codegen/cpu/expression_emitter.h"

#include "builder/loop/affine.h"

#include <llvm/IR/Intrinsics.h>

namespace tenon::codegen {

using loop::Dim;
using loop::ExprOp;
using loop::ExprPointer;
using Value = llvm::Value;

namespace {

ExprPointer from_affine(const loop::Affine& affine) {
  auto sum = loop::dim_value(affine.constant);
  for (const auto& [axis, coefficient] : affine.coefficients) {
    sum = sum + loop::axis(axis) * loop::dim_value(coefficient);
  }
  return sum;
}

// Row-major over the physical dims, with every block split off its axis.
ExprPointer layout_offset(const ir::TensorType& type, const std::vector<ExprPointer>& indices) {
  const auto& layout = type.layout;
  std::vector<ExprPointer> outer = indices;
  std::vector<ExprPointer> blocks(layout.blocks.size());
  for (size_t i = layout.blocks.size(); i-- > 0;) {
    const auto& block = layout.blocks[i];
    auto& index = outer[static_cast<size_t>(block.axis)];
    auto size = loop::index_constant(block.size);
    blocks[i] = loop::binary(ExprOp::floor_modulo, index, size);
    index = loop::binary(ExprOp::floor_divide, index, size);
  }
  std::vector<ExprPointer> physical;
  for (size_t i = 0; i < indices.size(); ++i) {
    physical.push_back(
        outer[layout.permutation.empty() ? i : static_cast<size_t>(layout.permutation[i])]);
  }
  physical.insert(physical.end(), blocks.begin(), blocks.end());
  auto dims = ir::physical_dims(layout, type.shape);
  auto sum = loop::index_constant(0);
  Dim stride = 1;
  for (size_t i = physical.size(); i-- > 0;) {
    sum = sum + physical[i] * loop::dim_value(stride);
    stride = stride * dims[i];
  }
  return sum;
}

}  // namespace

MemoryReference ExpressionEmitter::reference(int buffer, const std::vector<ExprPointer>& indices) {
  const auto& described = context_.kernel.buffers[static_cast<size_t>(buffer)];
  MemoryReference memory;
  memory.base = context_.buffer(buffer);
  memory.type = described.type.type;
  memory.buffer = buffer;
  memory.invariant = described.constant && !described.written;
  auto affine = loop::element_offset(described, indices);
  memory.offset = affine ? from_affine(*affine) : layout_offset(described.type, indices);
  kept_.push_back(memory.offset);
  if (!representable(memory.type)) {
    context_.set_error({ErrorCode::unsupported, "not supported yet: elements of type " +
                                                    std::string(to_string(memory.type)) +
                                                    " in generated code (buffer " + described.name +
                                                    ")"});
    memory.type = DataType::u8;
  }
  return memory;
}

llvm::Align ExpressionEmitter::alignment(DataType type) const {
  return llvm::Align(static_cast<uint64_t>(bit_width(type)) / 8);
}

Value* ExpressionEmitter::lane_numbers() {
  std::vector<llvm::Constant*> numbers;
  for (int lane = 0; lane < point_.lanes; ++lane) {
    numbers.push_back(builder_.getInt64(static_cast<uint64_t>(lane)));
  }
  return llvm::ConstantVector::get(numbers);
}

Value* ExpressionEmitter::any(Value* mask) {
  return mask->getType()->isVectorTy() ? builder_.CreateOrReduce(mask) : mask;
}

Value* ExpressionEmitter::active(Value* guard) {
  if (!guard) return point_.mask;
  if (!point_.mask) return guard;
  return builder_.CreateAnd(splat(guard), point_.mask);
}

Value* ExpressionEmitter::address(const MemoryReference& memory, Value* offset) {
  return builder_.CreateGEP(arithmetic_.memory_type(memory.type), memory.base, offset);
}

Value* ExpressionEmitter::lane_offsets(const MemoryReference& memory) {
  auto step = lane_step(memory.offset);
  if (!step) return splat(node(memory.offset, false));
  auto* base = splat(emit_base(memory.offset));
  return builder_.CreateAdd(base, builder_.CreateMul(lane_numbers(), splat(context_.dim(*step))));
}

void ExpressionEmitter::check(const MemoryReference& memory, Value* offsets, Value* mask) {
  if (!context_.options.checked || memory.buffer < 0) return;
  auto* extent = builder_.CreateUDiv(context_.buffer_bytes(memory.buffer),
                                     context_.index(bit_width(memory.type) / 8));
  bool vector = offsets->getType()->isVectorTy();
  // Unsigned, so that negative offsets are the largest of all.
  Value* outside = builder_.CreateICmpUGE(offsets, vector ? splat(extent) : extent);
  if (mask) outside = builder_.CreateAnd(outside, vector ? splat(mask) : any(mask));
  auto* worst = offsets;
  if (vector) {
    auto* zero = llvm::Constant::getNullValue(offsets->getType());
    worst = builder_.CreateIntMaxReduce(builder_.CreateSelect(outside, offsets, zero), false);
    outside = builder_.CreateOrReduce(outside);
  }
  context_.fail_if(outside, memory.buffer, worst, extent);
}

Value* ExpressionEmitter::load(const MemoryReference& memory, Value* guard) {
  if (point_.lanes == 1 || !varies(memory.offset)) return scalar_load(memory, guard);
  auto step = lane_step(memory.offset);
  bool plain = !active(guard) || masks_elements(memory.type);
  if (step && *step == Dim(1) && plain) return contiguous_load(memory, guard);
  if (step && *step == Dim(2) && masks_elements(memory.type)) return every_second(memory, guard);
  return gather(memory, guard);
}

bool ExpressionEmitter::masks_elements(DataType type) const {
  return bit_width(type) >= 32 || context_.target.has("avx512bw");
}

namespace {

void mark_invariant(const MemoryReference& memory, llvm::Instruction* load) {
  if (!memory.invariant) return;
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(load->getContext(), {}));
}

}  // namespace

Value* ExpressionEmitter::scalar_load(const MemoryReference& memory, Value* guard) {
  auto* offset = emit_base(memory.offset);
  // Some lane is active, so that only a guard can forbid a load that all lanes share.
  auto* allowed = !guard                                                ? nullptr
                  : guard->getType()->isVectorTy() || point_.lanes == 1 ? any(active(guard))
                                                                        : guard;
  if (!allowed && point_.lanes == 1) allowed = point_.mask;
  check(memory, offset, allowed);
  auto* pointer = address(memory, offset);
  if (allowed) pointer = builder_.CreateSelect(allowed, pointer, context_.zeros(8));
  auto* loaded = builder_.CreateAlignedLoad(arithmetic_.memory_type(memory.type), pointer,
                                            alignment(memory.type));
  if (!allowed) mark_invariant(memory, loaded);
  return arithmetic_.to_register(memory.type, loaded);
}

Value* ExpressionEmitter::contiguous_load(const MemoryReference& memory, Value* guard) {
  auto* scalar = arithmetic_.memory_type(memory.type);
  auto* type = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(point_.lanes));
  auto* mask = active(guard);
  if (context_.options.checked) check(memory, lane_offsets(memory), mask);
  auto* pointer = address(memory, emit_base(memory.offset));
  if (mask && !mask->getType()->isVectorTy()) {
    // All lanes or none: read zeros instead.
    pointer = builder_.CreateSelect(mask, pointer,
                                    context_.zeros(point_.lanes * bit_width(memory.type) / 8));
    return arithmetic_.to_register(
        memory.type, builder_.CreateAlignedLoad(type, pointer, alignment(memory.type)));
  }
  llvm::Instruction* loaded =
      mask ? static_cast<llvm::Instruction*>(builder_.CreateMaskedLoad(
                 type, pointer, alignment(memory.type), mask, llvm::Constant::getNullValue(type)))
           : builder_.CreateAlignedLoad(type, pointer, alignment(memory.type));
  mark_invariant(memory, loaded);
  return arithmetic_.to_register(memory.type, loaded);
}

Value* ExpressionEmitter::gather(const MemoryReference& memory, Value* guard) {
  auto* scalar = arithmetic_.memory_type(memory.type);
  auto* type = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(point_.lanes));
  auto* mask = active(guard);
  auto* offsets = lane_offsets(memory);
  check(memory, offsets, mask);
  Value* pointers = builder_.CreateGEP(scalar, memory.base, offsets);
  Value* all = llvm::Constant::getAllOnesValue(
      llvm::FixedVectorType::get(builder_.getInt1Ty(), static_cast<unsigned>(point_.lanes)));
  if (mask) mask = splat(mask);
  if (mask && (bit_width(memory.type) < 32 || context_.target.unit.bits < 512)) {
    // LLVM would branch around each lane.
    pointers = builder_.CreateSelect(mask, pointers, splat(context_.zeros(8)));
    mask = nullptr;
  }
  auto* loaded = builder_.CreateMaskedGather(type, pointers, alignment(memory.type),
                                             mask ? mask : all, llvm::Constant::getNullValue(type));
  return arithmetic_.to_register(memory.type, loaded);
}

Value* ExpressionEmitter::every_second(const MemoryReference& memory, Value* guard) {
  // Loads both halves of each pair's register with the odd elements masked away, then packs the
  // even ones: much faster than a gather, and it touches only what lanes ask for.
  auto* scalar = arithmetic_.memory_type(memory.type);
  auto lanes = static_cast<int>(point_.lanes);
  int piece = std::min(lanes, context_.target.unit.bits / bit_width(memory.type));
  auto* mask = active(guard);
  if (context_.options.checked) check(memory, lane_offsets(memory), mask);
  auto* wide = mask ? splat(mask) : nullptr;
  auto* base = address(memory, emit_base(memory.offset));
  auto* none = llvm::Constant::getNullValue(
      llvm::FixedVectorType::get(builder_.getInt1Ty(), static_cast<unsigned>(lanes)));
  auto part = [&](int first_lane, int count) -> Value* {
    // Wide lanes [0, count): lane first_lane + w/2 where w is even.
    std::vector<int> from;
    for (int w = 0; w < count; ++w) {
      int lane = first_lane + w / 2;
      from.push_back(w % 2 == 0 && lane < lanes ? lane : lanes);
    }
    auto* all = llvm::Constant::getAllOnesValue(none->getType());
    auto* even = builder_.CreateShuffleVector(wide ? wide : all, none, from);
    auto* type = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(count));
    auto* pointer =
        builder_.CreateConstInBoundsGEP1_64(scalar, base, static_cast<uint64_t>(2 * first_lane));
    return builder_.CreateMaskedLoad(type, pointer, alignment(memory.type), even,
                                     llvm::Constant::getNullValue(type));
  };
  Value* result = nullptr;
  for (int first = 0; first < lanes; first += piece) {
    std::vector<int> even;
    for (int lane = 0; lane < piece; ++lane) even.push_back(2 * lane);
    int half = (piece + 1) / 2;
    auto* packed =
        builder_.CreateShuffleVector(part(first, 2 * half), part(first + half, 2 * half), even);
    if (!result) {
      result = packed;
      continue;
    }
    std::vector<int> joined;
    for (int lane = 0; lane < first + piece; ++lane) joined.push_back(lane);
    std::vector<int> widened;
    for (int lane = 0; lane < first; ++lane) widened.push_back(lane < piece ? lane : -1);
    auto* grown = first > piece ? builder_.CreateShuffleVector(packed, widened) : packed;
    result = builder_.CreateShuffleVector(result, grown, joined);
  }
  std::vector<int> kept;
  for (int lane = 0; lane < lanes; ++lane) kept.push_back(lane);
  if (llvm::cast<llvm::FixedVectorType>(result->getType())->getNumElements() !=
      static_cast<unsigned>(lanes)) {
    result = builder_.CreateShuffleVector(result, kept);
  }
  return arithmetic_.to_register(memory.type, result);
}

void ExpressionEmitter::store(const MemoryReference& memory, Value* value) {
  if (context_.error().code() != ErrorCode::ok) return;
  auto* stored = arithmetic_.to_memory(memory.type, value);
  auto align = alignment(memory.type);
  if (point_.lanes == 1 || !varies(memory.offset)) {
    auto* offset = emit_base(memory.offset);
    if (stored->getType()->isVectorTy())
      stored = builder_.CreateExtractElement(stored, uint64_t{0});
    auto* mask = point_.lanes == 1 ? point_.mask : nullptr;
    check(memory, offset, mask);
    auto write = [&] { builder_.CreateAlignedStore(stored, address(memory, offset), align); };
    if (mask) return context_.branch(mask, write);
    return write();
  }
  stored = splat(stored);
  auto step = lane_step(memory.offset);
  bool contiguous = step && *step == Dim(1);
  auto* mask = point_.mask;
  if (contiguous) {
    if (context_.options.checked) check(memory, lane_offsets(memory), mask);
    auto* pointer = address(memory, emit_base(memory.offset));
    if (mask) {
      builder_.CreateMaskedStore(stored, pointer, align, mask);
    } else {
      builder_.CreateAlignedStore(stored, pointer, align);
    }
    return;
  }
  auto* offsets = lane_offsets(memory);
  check(memory, offsets, mask);
  auto* pointers = builder_.CreateGEP(arithmetic_.memory_type(memory.type), memory.base, offsets);
  builder_.CreateMaskedScatter(stored, pointers, align, mask);
}

}  // namespace tenon::codegen
