// SPDX-License-Identifier: Apache-2.0
// Evaluates the dim program of a plan.
#pragma once

#include <tenon/status.h>

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/plan/meta_generated.h"

namespace tenon::runtime {

/// In place of the number of a dim result: 0.
inline constexpr uint32_t kNoDim = 0xffffffff;

/// Computes every result in order. `results` is as long as the program, whose operand numbers are
/// sound (plan/verify). An overflow or a divisor of 0 is an error that names the instruction.
Status evaluate_dims(std::span<const plan::DimInstruction> program,
                     std::span<const int64_t> symbols, std::span<int64_t> results);

struct Interval {
  int64_t minimum = 0, maximum = 0;
};

/// Bounds of every result over all values of the symbols in their ranges, widened where they
/// overflow.
std::vector<Interval> bound_dims(std::span<const plan::DimInstruction> program,
                                 std::span<const Interval> symbols);

}  // namespace tenon::runtime
