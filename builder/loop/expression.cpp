// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/expression.h"

#include "builder/loop/expression_fold.h"

#include <stdexcept>

namespace tenon::loop {
namespace {

// A wrong type here is a bug of an operator's lowering; callers at library boundaries turn it into
// an internal error.
void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

ExprPointer make(ExprOp op, DataType type, std::vector<ExprPointer> args) {
  Expr result;
  result.op = op;
  result.type = type;
  result.args = std::move(args);
  return std::make_shared<const Expr>(std::move(result));
}

void require_indices(const std::vector<ExprPointer>& indices) {
  for (const ExprPointer& index : indices) {
    require(index && index->type == DataType::i64, "an index must be an i64 expression");
  }
}

bool needs_float(ExprOp op) {
  switch (op) {
    case ExprOp::floor:
    case ExprOp::ceil:
    case ExprOp::round_even:
    case ExprOp::truncate:
    case ExprOp::square_root:
    case ExprOp::is_nan:
    case ExprOp::copy_sign:
    case ExprOp::fused_multiply_add:
      return true;
    default:
      return op >= ExprOp::exp;
  }
}

bool needs_integer(ExprOp op) {
  switch (op) {
    case ExprOp::bit_not:
    case ExprOp::floor_divide:
    case ExprOp::floor_modulo:
    case ExprOp::bit_and:
    case ExprOp::bit_or:
    case ExprOp::bit_xor:
    case ExprOp::shift_left:
    case ExprOp::shift_right:
      return true;
    default:
      return false;
  }
}

bool takes_bool(ExprOp op) {
  switch (op) {
    case ExprOp::bit_not:
    case ExprOp::bit_and:
    case ExprOp::bit_or:
    case ExprOp::bit_xor:
    case ExprOp::equal:
    case ExprOp::less:
    case ExprOp::less_equal:
    case ExprOp::minimum:
    case ExprOp::maximum:
      return true;
    default:
      return false;
  }
}

void require_operand(ExprOp op, DataType type) {
  require(!needs_float(op) || is_float(type), "this operation takes floats");
  require(!needs_integer(op) || !is_float(type), "this operation takes integers");
  require(type != DataType::boolean || takes_bool(op), "this operation does not take bool");
}

bool is_unary(ExprOp op) {
  return (op >= ExprOp::negate && op <= ExprOp::is_nan) || (op >= ExprOp::exp && op <= ExprOp::erf);
}

bool is_binary(ExprOp op) {
  return (op >= ExprOp::add && op <= ExprOp::less_equal) || op == ExprOp::power ||
         op == ExprOp::atan2;
}

bool is_comparison(ExprOp op) { return op >= ExprOp::equal && op <= ExprOp::less_equal; }

}  // namespace

const char* to_string(ExprOp op) {
  static constexpr const char* names[kExprOpCount] = {"constant",
                                                      "axis",
                                                      "dim",
                                                      "load",
                                                      "stage",
                                                      "reduce",
                                                      "negate",
                                                      "absolute",
                                                      "floor",
                                                      "ceil",
                                                      "round_even",
                                                      "truncate",
                                                      "square_root",
                                                      "bit_not",
                                                      "is_nan",
                                                      "cast",
                                                      "bitcast",
                                                      "add",
                                                      "subtract",
                                                      "multiply",
                                                      "divide",
                                                      "remainder",
                                                      "floor_divide",
                                                      "floor_modulo",
                                                      "minimum",
                                                      "maximum",
                                                      "bit_and",
                                                      "bit_or",
                                                      "bit_xor",
                                                      "shift_left",
                                                      "shift_right",
                                                      "copy_sign",
                                                      "equal",
                                                      "less",
                                                      "less_equal",
                                                      "select",
                                                      "fused_multiply_add",
                                                      "exp",
                                                      "log",
                                                      "sin",
                                                      "cos",
                                                      "tan",
                                                      "asin",
                                                      "acos",
                                                      "atan",
                                                      "sinh",
                                                      "cosh",
                                                      "tanh",
                                                      "asinh",
                                                      "acosh",
                                                      "atanh",
                                                      "erf",
                                                      "power",
                                                      "atan2"};
  return names[static_cast<int>(op)];
}

DataType Reduction::type(int slot) const { return values[slot]->type; }

DataType compute_type(DataType stored) {
  return is_float(stored) && stored != DataType::f64 ? DataType::f32 : stored;
}

ExprPointer real_constant(DataType type, double value) {
  require(is_float(type), "a real constant must have a float type");
  Expr result;
  result.type = type;
  result.real = type == DataType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
  return std::make_shared<const Expr>(std::move(result));
}

ExprPointer integer_constant(DataType type, int64_t value) {
  require(!is_float(type), "an integer constant must have an integer type or bool");
  Expr result;
  result.type = type;
  result.integer = wrap_integer(type, value);
  return std::make_shared<const Expr>(std::move(result));
}

ExprPointer constant(DataType type, double value) {
  return is_float(type) ? real_constant(type, value)
                        : integer_constant(type, saturate_to_integer(type, value));
}

ExprPointer axis(int number) {
  Expr result;
  result.op = ExprOp::axis;
  result.type = DataType::i64;
  result.id = number;
  return std::make_shared<const Expr>(std::move(result));
}

ExprPointer dim_value(const Dim& dim) {
  if (dim.is_constant()) return index_constant(dim.constant());
  Expr result;
  result.op = ExprOp::dim;
  result.type = DataType::i64;
  result.dim = dim;
  return std::make_shared<const Expr>(std::move(result));
}

ExprPointer load(int buffer, DataType type, std::vector<ExprPointer> indices) {
  require_indices(indices);
  Expr result;
  result.op = ExprOp::load;
  result.type = type;
  result.id = buffer;
  result.args = std::move(indices);
  return std::make_shared<const Expr>(std::move(result));
}

ExprPointer stage_value(int stage, int slot, DataType type, std::vector<ExprPointer> indices) {
  require_indices(indices);
  Expr result;
  result.op = ExprOp::stage;
  result.type = type;
  result.id = stage;
  result.slot = slot;
  result.args = std::move(indices);
  return std::make_shared<const Expr>(std::move(result));
}

ExprPointer reduce(std::shared_ptr<const Reduction> reduction, int slot) {
  require(reduction && slot >= 0 && slot < static_cast<int>(reduction->values.size()),
          "a reduction has no such slot");
  require(reduction->identities.size() == reduction->values.size() &&
              (reduction->combiner != Combiner::custom ||
               reduction->joined.size() == reduction->values.size()),
          "a reduction needs an identity, and a custom one a join, for each slot");
  Expr result;
  result.op = ExprOp::reduce;
  result.type = reduction->type(slot);
  result.slot = slot;
  result.reduction = std::move(reduction);
  return std::make_shared<const Expr>(std::move(result));
}

ExprPointer unary(ExprOp op, ExprPointer a) {
  require(is_unary(op), "this operation does not take one operand");
  require_operand(op, a->type);
  if (ExprPointer folded = fold_unary(op, a)) return folded;
  DataType type = op == ExprOp::is_nan ? DataType::boolean : a->type;
  return make(op, type, {std::move(a)});
}

ExprPointer cast(DataType type, ExprPointer a) {
  if (a->type == type) return a;
  if (ExprPointer folded = fold_cast(type, a)) return folded;
  return make(ExprOp::cast, type, {std::move(a)});
}

ExprPointer bitcast(DataType type, ExprPointer a) {
  require(bit_width(type) == bit_width(a->type), "a bitcast must keep the width");
  if (a->type == type) return a;
  return make(ExprOp::bitcast, type, {std::move(a)});
}

ExprPointer binary(ExprOp op, ExprPointer a, ExprPointer b) {
  require(is_binary(op), "this operation does not take two operands");
  require(a->type == b->type, "the operands must have one type");
  require_operand(op, a->type);
  if (ExprPointer folded = fold_binary(op, a, b)) return folded;
  DataType type = is_comparison(op) ? DataType::boolean : a->type;
  return make(op, type, {std::move(a), std::move(b)});
}

ExprPointer select(ExprPointer condition, ExprPointer a, ExprPointer b) {
  require(condition->type == DataType::boolean, "the condition of a select must be bool");
  require(a->type == b->type, "both sides of a select must have one type");
  if (condition->op == ExprOp::constant) return condition->integer ? a : b;
  if (a == b) return a;
  DataType type = a->type;
  return make(ExprOp::select, type, {std::move(condition), std::move(a), std::move(b)});
}

ExprPointer fused_multiply_add(ExprPointer a, ExprPointer b, ExprPointer c) {
  require(a->type == b->type && b->type == c->type, "the operands must have one type");
  require_operand(ExprOp::fused_multiply_add, a->type);
  DataType type = a->type;
  return make(ExprOp::fused_multiply_add, type, {std::move(a), std::move(b), std::move(c)});
}

}  // namespace tenon::loop
