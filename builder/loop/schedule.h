// SPDX-License-Identifier: Apache-2.0
// How a kernel runs: the tactic. Printable, and part of every key that names generated code.
#pragma once

#include <tenon/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::loop {

enum class Family : uint8_t {
  general,      ///< pointwise chains, reductions, movement: a vector axis, the rest loops
  contraction,  ///< sum of products: a register tile of rows x vectors with an epilogue
};

struct Schedule {
  Family family = Family::general;

  /// Axis that lanes run along: a grid axis, or an inner or reduction axis of the stages. -1: scalar.
  int vector_axis = -1;
  /// Elements that one iteration computes: a multiple of the hardware's lanes (LLVM splits it), so that
  /// independent operations hide latency.
  int vector_elements = 1;
  /// Points of the grid that form one work item, by grid axis; an absent or 0 entry is 1 (the vector
  /// axis: all of it).
  std::vector<int64_t> tile;

  /// contraction: register tile of `rows` points of `row_axis` x `vector_elements` of `vector_axis`.
  int row_axis = -1;
  int rows = 1;
  /// contraction: steps of the innermost reduction axis unrolled in the loop body.
  int unroll = 1;
  /// contraction: the constant operand is packed into panels of vector_elements columns.
  bool packed = false;

  bool operator==(const Schedule&) const = default;
};

/// "general v=i3x64 tile=[1,8,0]", "contraction 14x32 rows=i2 v=i1 unroll=1 packed"; parses back.
std::string to_string(const Schedule& schedule);
Result<Schedule> parse_schedule(std::string_view text);

}  // namespace tenon::loop
