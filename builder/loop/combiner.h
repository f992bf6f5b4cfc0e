// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/loop/expression.h"

namespace tenon::loop {

/// The value that leaves others as they are: 0, 1, the largest, the smallest, all bits. Null for
/// custom.
ExprPointer identity(Combiner combiner, DataType type);
/// "sum", "product", "minimum", ...
const char* to_string(Combiner combiner);
inline constexpr int kCombinerCount = static_cast<int>(Combiner::custom) + 1;

/// The operation that joins two values; not for custom.
ExprOp operation(Combiner combiner);

}  // namespace tenon::loop
