// SPDX-License-Identifier: Apache-2.0
// Scalar expressions over axes, loads and earlier stages: what a kernel computes at one point.
#pragma once

#include "builder/ir/dim.h"

#include <tenon/data_type.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tenon::loop {

using ir::Dim;

enum class ExprOp : uint8_t {
  // Leaves.
  constant,   // `real` for floats, `integer` for integers and bool
  axis,       // i64: the position on axis number `id` of the kernel
  dim,        // i64: the value of `dim`
  load,       // element of buffer `id` at logical indices `args` (i64); always inside its shape
  stage,      // value `slot` of stage `id` at `args`, one for each inner axis of that stage
  reduce,     // only before stages are extracted: see Reduction
  // One operand of the same type, unless said otherwise.
  negate, absolute, floor, ceil, round_even, truncate, square_root,
  bit_not,    // integers; bool: logical not
  is_nan,     // float -> bool
  cast,       // to `type`: float->integer truncates, saturates, NaN gives 0; integer->integer wraps;
              // to bool: != 0; integer->float and float->float round to nearest even
  bitcast,    // same width
  // Two operands of one type.
  add, subtract, multiply,
  divide,     // floats: IEEE; integers: truncates, x/0 gives 0 and MIN/-1 gives MIN
  remainder,  // integers: sign of the dividend, 0 for divisor 0; floats: fmod
  floor_divide, floor_modulo,  // integers; for indices: the divisor is positive
  minimum, maximum,            // NaN if either is NaN
  bit_and, bit_or, bit_xor,    // integers; bool: logical
  shift_left, shift_right,     // integers; by >= the width gives 0 (the sign for signed right shifts)
  copy_sign,  // floats: magnitude of the first, sign of the second
  // Comparisons: bool.
  equal, less, less_equal,
  // Three operands.
  select,               // bool, then a, b of one type: only the chosen side's loads are performed
  fused_multiply_add,   // a*b+c rounded once
  // Functions, which expand_functions (builder/loop/functions.h) turns into the above. Floats only.
  exp, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erf,
  power,                // two operands, C's pow
  atan2,                // two operands
};
inline constexpr int kExprOpCount = static_cast<int>(ExprOp::atan2) + 1;

/// "add", "fused_multiply_add", ...
const char* to_string(ExprOp op);

struct Expr;
/// Immutable and shared: an expression is a directed acyclic graph.
using ExprPointer = std::shared_ptr<const Expr>;

/// How values over the reduction axes are combined. `custom` joins tuples by expressions, e.g. argmax.
enum class Combiner : uint8_t { sum, product, minimum, maximum, bit_and, bit_or, custom };

/// A reduction of one or several values at once over its own axes.
struct Reduction {
  struct ReduceAxis { int axis = 0; Dim extent; };   // `axis`: number that ExprOp::axis refers to
  Combiner combiner = Combiner::sum;
  std::vector<ReduceAxis> axes;
  std::vector<ExprPointer> values;      // one for each slot; may use the axes
  std::vector<ExprPointer> identities;  // constants, one for each slot
  /// custom: the joined slots, over axis-free placeholders: ExprOp::stage with id -1 (state so far) or -2
  /// (new value) and `slot`.
  std::vector<ExprPointer> joined;
  DataType type(int slot) const;
};

struct Expr {
  ExprOp op = ExprOp::constant;
  DataType type = DataType::f32;
  double real = 0;
  int64_t integer = 0;
  int id = 0;
  int slot = 0;
  Dim dim;
  std::vector<ExprPointer> args;
  std::shared_ptr<const Reduction> reduction;  // ExprOp::reduce; `slot` picks the value
};

// Makers. They check operand types with CHECK-like asserts, fold constants of index arithmetic, and
// simplify x+0, x*1, x*0, floor_divide and floor_modulo by 1 for i64.
ExprPointer real_constant(DataType type, double value);
ExprPointer integer_constant(DataType type, int64_t value);
/// A constant of any type from a double.
ExprPointer constant(DataType type, double value);
inline ExprPointer index_constant(int64_t value) { return integer_constant(DataType::i64, value); }
ExprPointer axis(int number);
ExprPointer dim_value(const Dim& dim);   // index_constant when constant
ExprPointer load(int buffer, DataType type, std::vector<ExprPointer> indices);
ExprPointer stage_value(int stage, int slot, DataType type, std::vector<ExprPointer> indices = {});
ExprPointer reduce(std::shared_ptr<const Reduction> reduction, int slot = 0);
ExprPointer unary(ExprOp op, ExprPointer a);
ExprPointer cast(DataType type, ExprPointer a);     // the operand itself when the type is the same
ExprPointer bitcast(DataType type, ExprPointer a);
ExprPointer binary(ExprOp op, ExprPointer a, ExprPointer b);
ExprPointer select(ExprPointer condition, ExprPointer a, ExprPointer b);
ExprPointer fused_multiply_add(ExprPointer a, ExprPointer b, ExprPointer c);

inline ExprPointer operator+(ExprPointer a, ExprPointer b) { return binary(ExprOp::add, std::move(a), std::move(b)); }
inline ExprPointer operator-(ExprPointer a, ExprPointer b) { return binary(ExprOp::subtract, std::move(a), std::move(b)); }
inline ExprPointer operator*(ExprPointer a, ExprPointer b) { return binary(ExprOp::multiply, std::move(a), std::move(b)); }
inline ExprPointer operator/(ExprPointer a, ExprPointer b) { return binary(ExprOp::divide, std::move(a), std::move(b)); }
inline ExprPointer operator-(ExprPointer a) { return unary(ExprOp::negate, std::move(a)); }

/// The type in which a stored type is computed: f16, bf16 and f8 in f32, all others as they are.
DataType compute_type(DataType stored);

/// "add(load(%0, i0, i1), 1.0)": parses back with the kernel's text (text.h).
std::string to_string(const ExprPointer& expression);

}  // namespace tenon::loop
