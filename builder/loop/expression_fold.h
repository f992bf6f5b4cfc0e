// SPDX-License-Identifier: Apache-2.0
// Folding that the makers of expressions do: constants and index arithmetic.
#pragma once

#include "builder/loop/expression.h"

namespace tenon::loop {

/// Each gives the simpler expression, or null when there is none.
ExprPointer fold_unary(ExprOp op, const ExprPointer& a);
ExprPointer fold_binary(ExprOp op, const ExprPointer& a, const ExprPointer& b);
ExprPointer fold_cast(DataType type, const ExprPointer& a);

/// The low bits of `value`, extended by the type's sign; bool: 0 or 1.
int64_t wrap_integer(DataType type, int64_t value);
/// Truncated toward zero, NaN gives 0, out of range saturates; u64 by its bits; bool: != 0.
int64_t saturate_to_integer(DataType type, double value);
/// The value of an integer of this type as a double (u64 bits are unsigned).
double integer_to_real(DataType type, int64_t value);

}  // namespace tenon::loop
