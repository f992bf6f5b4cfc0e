// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/expression_emitter.h"

namespace tenon::codegen {

using loop::Dim;
using loop::Expr;
using loop::ExprOp;
using loop::ExprPointer;
using Value = llvm::Value;

ExpressionEmitter::ExpressionEmitter(EmitContext& context, Point point, StageSource stages)
    : context_(context),
      builder_(context.builder),
      arithmetic_(context.builder),
      point_(std::move(point)),
      stages_(std::move(stages)) {}

std::vector<Value*> ExpressionEmitter::emit(const std::vector<ExprPointer>& roots) {
  kept_.insert(kept_.end(), roots.begin(), roots.end());
  guards_.emplace(roots);
  std::vector<Value*> result;
  for (const auto& root : roots) result.push_back(node(root, false));
  // Guarded values hold only for these roots.
  std::erase_if(values_, [&](const auto& entry) { return guards_->tainted(entry.first); });
  std::erase_if(bases_, [&](const auto& entry) { return guards_->tainted(entry.first); });
  guards_.reset();
  return result;
}

Value* ExpressionEmitter::emit(const ExprPointer& root) { return emit(std::vector{root})[0]; }

Value* ExpressionEmitter::emit_base(const ExprPointer& root) {
  kept_.push_back(root);
  return node(root, true);
}

Value* ExpressionEmitter::splat(Value* value) {
  if (point_.lanes == 1 || value->getType()->isVectorTy()) return value;
  return builder_.CreateVectorSplat(static_cast<unsigned>(point_.lanes), value);
}

bool ExpressionEmitter::varies(const ExprPointer& expression) {
  if (point_.lanes == 1) return false;
  auto found = varies_.find(expression.get());
  if (found != varies_.end()) return found->second;
  bool result = false;
  if (expression->op == ExprOp::axis) result = expression->id == point_.vector_axis;
  if (expression->op == ExprOp::stage) result = stages_.varies(*expression);
  for (const auto& operand : expression->args) result |= varies(operand);
  kept_.push_back(expression);
  return varies_[expression.get()] = result;
}

std::optional<Dim> ExpressionEmitter::lane_step(const ExprPointer& expression) {
  if (!varies(expression)) return Dim(0);
  auto found = steps_.find(expression.get());
  if (found != steps_.end()) return found->second;
  std::optional<Dim> result;
  const auto& args = expression->args;
  auto factor = [](const Expr& value) -> std::optional<Dim> {
    if (value.op == ExprOp::constant) return Dim(value.integer);
    if (value.op == ExprOp::dim) return value.dim;
    return std::nullopt;
  };
  switch (expression->op) {
    case ExprOp::axis:
      result = Dim(1);
      break;
    case ExprOp::negate:
      if (auto a = lane_step(args[0])) result = Dim(0) - *a;
      break;
    case ExprOp::add:
    case ExprOp::subtract: {
      auto a = lane_step(args[0]), b = lane_step(args[1]);
      if (a && b) result = expression->op == ExprOp::add ? *a + *b : *a - *b;
      break;
    }
    case ExprOp::multiply: {
      bool first = varies(args[0]);
      if (first && varies(args[1])) break;
      auto step = lane_step(args[first ? 0 : 1]);
      auto times = factor(*args[first ? 1 : 0]);
      if (step && times) result = *step * *times;
      break;
    }
    case ExprOp::select: {
      if (varies(args[0])) break;
      auto a = lane_step(args[1]), b = lane_step(args[2]);
      if (a && b && *a == *b) result = a;
      break;
    }
    default:
      break;
  }
  return steps_[expression.get()] = result;
}

Value* ExpressionEmitter::node(const ExprPointer& expression, bool base) {
  base |= !varies(expression);
  auto& memo = base ? bases_ : values_;
  auto found = memo.find(expression.get());
  if (found != memo.end()) return found->second;
  kept_.push_back(expression);
  auto* value = make(expression, base);
  memo[expression.get()] = value;
  return value;
}

Value* ExpressionEmitter::make(const ExprPointer& expression, bool base) {
  const Expr& e = *expression;
  if (!representable(e.type)) {
    context_.set_error({ErrorCode::unsupported, "not supported yet: elements of type " +
                                                    std::string(to_string(e.type)) +
                                                    " in generated code"});
    return llvm::UndefValue::get(builder_.getInt8Ty());
  }
  switch (e.op) {
    case ExprOp::constant:
      return arithmetic_.constant(e);
    case ExprOp::dim:
      return context_.dim(e.dim);
    case ExprOp::axis: {
      auto found = point_.axes.find(e.id);
      if (found == point_.axes.end()) {
        context_.set_error(
            {ErrorCode::internal, "axis " + std::to_string(e.id) + " is used outside its loop"});
        return context_.index(0);
      }
      if (base) return found->second;
      return builder_.CreateAdd(splat(found->second), lane_numbers());
    }
    case ExprOp::load:
      return guarded_load(e);
    case ExprOp::stage:
      return stages_.value(e, *this);
    default:
      break;
  }
  // Comparisons and selects of scalars stay scalar when all their operands are.
  std::vector<Value*> args;
  for (const auto& operand : e.args) {
    auto* value = node(operand, base);
    args.push_back(base ? value : splat(value));
  }
  if (context_.error().code() != ErrorCode::ok) {
    auto* scalar = arithmetic_.register_type(e.type);
    return llvm::UndefValue::get(
        base ? scalar : llvm::FixedVectorType::get(scalar, static_cast<unsigned>(point_.lanes)));
  }
  if (e.op == ExprOp::cast) return arithmetic_.cast(e.type, e.args[0]->type, args[0]);
  if (e.op == ExprOp::bitcast) return arithmetic_.bitcast(e.type, args[0]);
  if (e.op == ExprOp::select) return builder_.CreateSelect(args[0], args[1], args[2]);
  if (e.op == ExprOp::fused_multiply_add) {
    return arithmetic_.fused_multiply_add(e.type, args[0], args[1], args[2]);
  }
  if (Arithmetic::is_unary(e.op)) return arithmetic_.unary(e.op, e.args[0]->type, args[0]);
  if (Arithmetic::is_binary(e.op)) {
    return arithmetic_.binary(e.op, e.args[0]->type, args[0], args[1]);
  }
  context_.set_error({ErrorCode::internal, std::string("operation ") + to_string(e.op) +
                                               " reached code generation unexpanded"});
  return llvm::UndefValue::get(arithmetic_.register_type(e.type));
}

Value* ExpressionEmitter::guarded_load(const Expr& expression) {
  Value* guard = nullptr;
  if (guards_) {
    if (const ExprPointer condition = guards_->of(&expression)) {
      if (!guarding_.insert(&expression).second) {
        context_.set_error({ErrorCode::unsupported,
                            "not supported yet: a load below a condition that reads the same "
                            "element below another condition"});
        return llvm::UndefValue::get(arithmetic_.register_type(expression.type));
      }
      guard = node(condition, false);
      guarding_.erase(&expression);
    }
  }
  return load(reference(expression.id, expression.args), guard);
}

}  // namespace tenon::codegen
