// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/arithmetic.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>

namespace tenon::codegen {

using llvm::Intrinsic::ID;
using loop::ExprOp;
using Value = llvm::Value;

namespace {

bool is_half(DataType type) { return type == DataType::f16 || type == DataType::bf16; }

bool is_number(Value* value) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  if (!constant) return false;
  if (constant->getType()->isVectorTy()) constant = constant->getSplatValue();
  auto* real = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  return real && !real->isNaN();
}

}  // namespace

bool representable(DataType type) {
  return type == DataType::boolean ||
         (bit_width(type) >= 8 &&
          (is_integer(type) || is_half(type) || type == DataType::f32 || type == DataType::f64));
}

bool Arithmetic::is_unary(ExprOp op) { return op >= ExprOp::negate && op <= ExprOp::is_nan; }
bool Arithmetic::is_binary(ExprOp op) { return op >= ExprOp::add && op <= ExprOp::less_equal; }

llvm::Type* Arithmetic::register_type(DataType type) {
  switch (type) {
    case DataType::f64:
      return builder_.getDoubleTy();
    case DataType::f32:
      return builder_.getFloatTy();
    case DataType::boolean:
      return builder_.getInt1Ty();
    default:
      return builder_.getIntNTy(static_cast<unsigned>(bit_width(type)));
  }
}

llvm::Type* Arithmetic::memory_type(DataType type) {
  return type == DataType::boolean ? builder_.getInt8Ty() : register_type(type);
}

llvm::Type* Arithmetic::shaped(llvm::Type* scalar, Value* like) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like->getType());
  return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}

llvm::Constant* Arithmetic::constant(const loop::Expr& expression) {
  auto* type = register_type(expression.type);
  if (expression.type == DataType::f32 || expression.type == DataType::f64) {
    return llvm::ConstantFP::get(type, expression.real);
  }
  if (is_half(expression.type)) {
    auto* real = llvm::ConstantFP::get(builder_.getFloatTy(), expression.real);
    return llvm::cast<llvm::Constant>(narrow(expression.type, real));
  }
  return llvm::ConstantInt::get(type, static_cast<uint64_t>(expression.integer), true);
}

Value* Arithmetic::to_register(DataType type, Value* stored) {
  if (type != DataType::boolean) return stored;
  return builder_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
}

Value* Arithmetic::to_memory(DataType type, Value* value) {
  if (type != DataType::boolean) return value;
  return builder_.CreateZExt(value, shaped(builder_.getInt8Ty(), value));
}

Value* Arithmetic::widen(DataType type, Value* a) {
  auto* real = shaped(builder_.getFloatTy(), a);
  if (type == DataType::f16) {
    return builder_.CreateFPExt(builder_.CreateBitCast(a, shaped(builder_.getHalfTy(), a)), real);
  }
  auto* word = builder_.CreateZExt(a, shaped(builder_.getInt32Ty(), a));
  return builder_.CreateBitCast(builder_.CreateShl(word, 16), real);
}

Value* Arithmetic::narrow(DataType type, Value* a) {
  auto* bits16 = shaped(builder_.getInt16Ty(), a);
  if (type == DataType::f16) {
    return builder_.CreateBitCast(builder_.CreateFPTrunc(a, shaped(builder_.getHalfTy(), a)),
                                  bits16);
  }
  // Adds half a unit, to even; a NaN keeps its upper bits and stays quiet.
  auto* word = builder_.CreateBitCast(a, shaped(builder_.getInt32Ty(), a));
  auto* type32 = word->getType();
  auto constant = [&](uint32_t value) { return llvm::ConstantInt::get(type32, value); };
  auto* odd = builder_.CreateAnd(builder_.CreateLShr(word, 16), constant(1));
  auto* rounded = builder_.CreateAdd(word, builder_.CreateAdd(odd, constant(0x7fff)));
  auto* quiet = builder_.CreateOr(word, constant(0x400000));
  auto* chosen = builder_.CreateSelect(builder_.CreateFCmpUNO(a, a), quiet, rounded);
  return builder_.CreateTrunc(builder_.CreateLShr(chosen, 16), bits16);
}

Value* Arithmetic::unary(ExprOp op, DataType type, Value* a) {
  if (is_half(type)) {
    auto* wide = widen(type, a);
    return op == ExprOp::is_nan ? unary(op, DataType::f32, wide)
                                : narrow(type, unary(op, DataType::f32, wide));
  }
  if (is_float(type)) {
    auto call = [&](ID id) { return builder_.CreateUnaryIntrinsic(id, a); };
    switch (op) {
      case ExprOp::negate:
        return builder_.CreateFNeg(a);
      case ExprOp::absolute:
        return call(llvm::Intrinsic::fabs);
      case ExprOp::floor:
        return call(llvm::Intrinsic::floor);
      case ExprOp::ceil:
        return call(llvm::Intrinsic::ceil);
      case ExprOp::round_even:
        return call(llvm::Intrinsic::roundeven);
      case ExprOp::truncate:
        return call(llvm::Intrinsic::trunc);
      case ExprOp::square_root:
        return call(llvm::Intrinsic::sqrt);
      case ExprOp::is_nan:
        return builder_.CreateFCmpUNO(a, a);
      default:
        return llvm::UndefValue::get(a->getType());
    }
  }
  switch (op) {
    case ExprOp::negate:
      return type == DataType::boolean ? a : builder_.CreateNeg(a);
    case ExprOp::absolute:
      if (!is_signed_integer(type)) return a;
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, builder_.getFalse());
    case ExprOp::bit_not:
      return builder_.CreateNot(a);
    case ExprOp::is_nan:
      return llvm::Constant::getNullValue(shaped(builder_.getInt1Ty(), a));
    default:
      return a;  // Rounding an integer.
  }
}

Value* Arithmetic::binary(ExprOp op, DataType type, Value* a, Value* b) {
  if (type == DataType::boolean) return bool_binary(op, a, b);
  if (!is_float(type)) return integer_binary(op, is_signed_integer(type), a, b);
  if (!is_half(type)) return float_binary(op, a, b);
  auto* result = float_binary(op, widen(type, a), widen(type, b));
  bool compares = op >= ExprOp::equal && op <= ExprOp::less_equal;
  return compares ? result : narrow(type, result);
}

Value* Arithmetic::float_binary(ExprOp op, Value* a, Value* b) {
  switch (op) {
    case ExprOp::add:
      return builder_.CreateFAdd(a, b);
    case ExprOp::subtract:
      return builder_.CreateFSub(a, b);
    case ExprOp::multiply:
      return builder_.CreateFMul(a, b);
    case ExprOp::divide:
      return builder_.CreateFDiv(a, b);
    case ExprOp::remainder:
      return float_remainder(a, b, 2100);
    case ExprOp::minimum:
    case ExprOp::maximum: {
      // The x86 instruction gives its second operand when either is NaN: put the one that may be
      // NaN there, and where both may be, restore the first.
      if (is_number(a)) std::swap(a, b);
      auto* first = b;
      auto* second = a;
      auto* chosen =
          builder_.CreateSelect(op == ExprOp::minimum ? builder_.CreateFCmpOLT(first, second)
                                                      : builder_.CreateFCmpOGT(first, second),
                                first, second);
      if (is_number(first)) return chosen;
      return builder_.CreateSelect(builder_.CreateFCmpUNO(first, first), first, chosen);
    }
    case ExprOp::copy_sign:
      return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, a, b);
    case ExprOp::equal:
      return builder_.CreateFCmpOEQ(a, b);
    case ExprOp::less:
      return builder_.CreateFCmpOLT(a, b);
    case ExprOp::less_equal:
      return builder_.CreateFCmpOLE(a, b);
    default:
      return llvm::UndefValue::get(a->getType());
  }
}

Value* Arithmetic::float_remainder(Value* a, Value* b, int largest_ratio) {
  // Long division in base 2^step, exact: with d = |b| * 2^k and r < d * 2^step, q = trunc(r / d) is
  // at most one too large, and r - q * d is a multiple of d's last place below d in magnitude.
  if (a->getType()->getScalarType()->isFloatTy()) {
    // f64 holds every f32 as a normal number and the largest d without overflow.
    auto* wide = shaped(builder_.getDoubleTy(), a);
    auto* result =
        float_remainder(builder_.CreateFPExt(a, wide), builder_.CreateFPExt(b, wide), 278);
    return builder_.CreateFPTrunc(result, a->getType());
  }
  auto* type = a->getType();
  auto* divisor = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, b);
  auto* magnitude = builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a);
  auto* infinity = llvm::ConstantFP::getInfinity(type);
  Value* rest = magnitude;
  constexpr int kStep = 52;
  for (int k = largest_ratio / kStep; k >= 0; --k) {
    Value* scaled = divisor;
    for (int power = k * kStep; power > 0; power -= 1000) {
      scaled = builder_.CreateFMul(
          scaled, llvm::ConstantFP::get(type, std::ldexp(1.0, std::min(power, 1000))));
    }
    auto* quotient =
        builder_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, builder_.CreateFDiv(rest, scaled));
    auto* less = builder_.CreateIntrinsic(llvm::Intrinsic::fma, {type},
                                          {builder_.CreateFNeg(quotient), scaled, rest});
    auto* negative = builder_.CreateFCmpOLT(less, llvm::ConstantFP::getZero(type));
    auto* reduced = builder_.CreateSelect(negative, builder_.CreateFAdd(less, scaled), less);
    rest = builder_.CreateSelect(builder_.CreateFCmpOLE(scaled, rest), reduced, rest);
  }
  auto* undefined =
      builder_.CreateOr(builder_.CreateFCmpUEQ(divisor, llvm::ConstantFP::getZero(type)),
                        builder_.CreateFCmpUEQ(magnitude, infinity));
  rest = builder_.CreateSelect(builder_.CreateFCmpOEQ(divisor, infinity), magnitude, rest);
  rest = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, a);
  return builder_.CreateSelect(undefined, llvm::ConstantFP::getNaN(type), rest);
}

Value* Arithmetic::integer_binary(ExprOp op, bool is_signed, Value* a, Value* b) {
  auto* type = a->getType();
  auto* zero = llvm::Constant::getNullValue(type);
  switch (op) {
    case ExprOp::add:
      return builder_.CreateAdd(a, b);
    case ExprOp::subtract:
      return builder_.CreateSub(a, b);
    case ExprOp::multiply:
      return builder_.CreateMul(a, b);
    case ExprOp::divide:
    case ExprOp::remainder:
    case ExprOp::floor_divide:
    case ExprOp::floor_modulo:
      return integer_divide(op, is_signed, a, b);
    case ExprOp::minimum:
      return builder_.CreateBinaryIntrinsic(
          is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
    case ExprOp::maximum:
      return builder_.CreateBinaryIntrinsic(
          is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
    case ExprOp::bit_and:
      return builder_.CreateAnd(a, b);
    case ExprOp::bit_or:
      return builder_.CreateOr(a, b);
    case ExprOp::bit_xor:
      return builder_.CreateXor(a, b);
    case ExprOp::shift_left:
    case ExprOp::shift_right: {
      unsigned width = type->getScalarSizeInBits();
      auto* last = llvm::ConstantInt::get(type, width - 1);
      auto* inside = builder_.CreateICmpULE(b, last);
      if (op == ExprOp::shift_right && is_signed) {
        return builder_.CreateAShr(a, builder_.CreateSelect(inside, b, last));
      }
      auto* amount = builder_.CreateSelect(inside, b, zero);
      auto* shifted =
          op == ExprOp::shift_left ? builder_.CreateShl(a, amount) : builder_.CreateLShr(a, amount);
      return builder_.CreateSelect(inside, shifted, zero);
    }
    case ExprOp::equal:
      return builder_.CreateICmpEQ(a, b);
    case ExprOp::less:
      return is_signed ? builder_.CreateICmpSLT(a, b) : builder_.CreateICmpULT(a, b);
    case ExprOp::less_equal:
      return is_signed ? builder_.CreateICmpSLE(a, b) : builder_.CreateICmpULE(a, b);
    default:
      return llvm::UndefValue::get(type);
  }
}

Value* Arithmetic::integer_divide(ExprOp op, bool is_signed, Value* a, Value* b) {
  auto* type = a->getType();
  auto* zero = llvm::Constant::getNullValue(type);
  auto* one = llvm::ConstantInt::get(type, 1);
  auto* by_zero = builder_.CreateICmpEQ(b, zero);
  bool quotient = op == ExprOp::divide || op == ExprOp::floor_divide;
  if (!is_signed) {
    auto* safe = builder_.CreateSelect(by_zero, one, b);
    if (!quotient) return builder_.CreateURem(a, safe);
    return builder_.CreateSelect(by_zero, zero, builder_.CreateUDiv(a, safe));
  }
  unsigned width = type->getScalarSizeInBits();
  auto* smallest = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(width));
  auto* overflows =
      builder_.CreateAnd(builder_.CreateICmpEQ(a, smallest),
                         builder_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(type)));
  // MIN/1 is MIN and MIN%1 is 0, which are the values for -1 too; x%1 is 0, which is that for 0.
  auto* safe = builder_.CreateSelect(builder_.CreateOr(by_zero, overflows), one, b);
  if (op == ExprOp::remainder) return builder_.CreateSRem(a, safe);
  auto* ratio = builder_.CreateSDiv(a, safe);
  if (op == ExprOp::divide) return builder_.CreateSelect(by_zero, zero, ratio);
  auto* rest = builder_.CreateSub(a, builder_.CreateMul(ratio, safe));
  auto* down = builder_.CreateAnd(builder_.CreateICmpNE(rest, zero),
                                  builder_.CreateICmpSLT(builder_.CreateXor(rest, safe), zero));
  if (op == ExprOp::floor_modulo) {
    return builder_.CreateAdd(rest, builder_.CreateSelect(down, safe, zero));
  }
  auto* floored = builder_.CreateSub(ratio, builder_.CreateSelect(down, one, zero));
  return builder_.CreateSelect(by_zero, zero, floored);
}

Value* Arithmetic::bool_binary(ExprOp op, Value* a, Value* b) {
  switch (op) {
    case ExprOp::multiply:
    case ExprOp::minimum:
    case ExprOp::bit_and:
      return builder_.CreateAnd(a, b);
    case ExprOp::add:
    case ExprOp::maximum:
    case ExprOp::bit_or:
      return builder_.CreateOr(a, b);
    case ExprOp::subtract:
    case ExprOp::bit_xor:
      return builder_.CreateXor(a, b);
    case ExprOp::equal:
      return builder_.CreateICmpEQ(a, b);
    case ExprOp::less:
      return builder_.CreateAnd(builder_.CreateNot(a), b);
    case ExprOp::less_equal:
      return builder_.CreateOr(builder_.CreateNot(a), b);
    default:
      return llvm::UndefValue::get(a->getType());
  }
}

Value* Arithmetic::fused_multiply_add(DataType type, Value* a, Value* b, Value* c) {
  if (is_half(type)) {
    return narrow(
        type, fused_multiply_add(DataType::f32, widen(type, a), widen(type, b), widen(type, c)));
  }
  if (!is_float(type)) return builder_.CreateAdd(builder_.CreateMul(a, b), c);
  return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}

Value* Arithmetic::cast(DataType to, DataType from, Value* a) {
  if (to == from) return a;
  if (is_half(from)) return cast(to, DataType::f32, widen(from, a));
  if (is_half(to)) return narrow(to, cast(DataType::f32, from, a));
  auto* type = shaped(register_type(to), a);
  if (to == DataType::boolean) {
    auto* zero = llvm::Constant::getNullValue(a->getType());
    return is_float(from) ? builder_.CreateFCmpUNE(a, zero) : builder_.CreateICmpNE(a, zero);
  }
  if (is_float(from)) {
    if (is_float(to)) return builder_.CreateFPCast(a, type);
    return builder_.CreateIntrinsic(
        is_signed_integer(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
        {type, a->getType()}, {a});
  }
  bool is_signed = is_signed_integer(from);
  if (is_float(to)) {
    return is_signed ? builder_.CreateSIToFP(a, type) : builder_.CreateUIToFP(a, type);
  }
  return builder_.CreateIntCast(a, type, is_signed);
}

Value* Arithmetic::bitcast(DataType to, Value* a) {
  return builder_.CreateBitCast(a, shaped(register_type(to), a));
}

Value* Arithmetic::combine(loop::Combiner combiner, DataType type, Value* a, Value* b) {
  switch (combiner) {
    case loop::Combiner::sum:
      return binary(ExprOp::add, type, a, b);
    case loop::Combiner::product:
      return binary(ExprOp::multiply, type, a, b);
    case loop::Combiner::minimum:
      return binary(ExprOp::minimum, type, a, b);
    case loop::Combiner::maximum:
      return binary(ExprOp::maximum, type, a, b);
    case loop::Combiner::bit_and:
      return binary(ExprOp::bit_and, type, a, b);
    case loop::Combiner::bit_or:
      return binary(ExprOp::bit_or, type, a, b);
    case loop::Combiner::custom:
      break;
  }
  return a;
}

}  // namespace tenon::codegen
