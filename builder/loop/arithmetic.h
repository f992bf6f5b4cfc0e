// SPDX-License-Identifier: Apache-2.0
// What each operation gives, type by type: the meaning of expressions.
#pragma once

#include "builder/loop/expression.h"

#include <cstddef>

namespace tenon::loop {

/// A float of any width in `real`, anything else in `integer` (u64 by its bits, bool 0 or 1).
struct Scalar {
  double real = 0;
  int64_t integer = 0;
};

/// `type`: of the operands (and of the result, but for comparisons, casts and bitcasts).
Scalar apply_unary(ExprOp op, DataType type, Scalar a);
Scalar apply_binary(ExprOp op, DataType type, Scalar a, Scalar b);
Scalar apply_fused_multiply_add(DataType type, Scalar a, Scalar b, Scalar c);
Scalar apply_cast(DataType from, DataType to, Scalar a);
Scalar apply_bitcast(DataType from, DataType to, Scalar a);

/// Elements in memory, of at least 8 bits. 8-bit floats are only read.
Scalar read_element(DataType type, const std::byte* address);
void write_element(DataType type, std::byte* address, Scalar value);

}  // namespace tenon::loop
