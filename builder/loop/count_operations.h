// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/loop/kernel.h"

namespace tenon::loop {

/// Arithmetic operations of a kernel at the optimum of its symbols: one for each operation on
/// values at each point, index arithmetic, selects and casts left out; a multiply-accumulate counts
/// as two.
double count_operations(const Kernel& kernel, const ir::SymbolRanges& symbols);

}  // namespace tenon::loop
