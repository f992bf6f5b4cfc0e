// SPDX-License-Identifier: Apache-2.0
// Recognises sums of products and says how a register tile runs over them.
#pragma once

#include "builder/loop/kernel.h"
#include "builder/loop/schedule.h"

#include <tenon/status.h>

#include <string>
#include <vector>

namespace tenon::loop {

/// Roles of the axes of a kernel whose first stage is sum over k of broadcast[m, k] * vector[k, n]:
///   rows    axes that only the broadcast operand has (m): its loads are broadcast to all lanes
///   columns axes that only the vector operand has
///   column  the one of them along which lanes run: unit stride in the output and in the vector
///   operand batch   axes that both operands have, or neither depth   reduction axes, outermost
///   loop first: by falling stride of the broadcast operand
struct Contraction {
  int stage = 0;
  ExprPointer broadcast;  // load
  ExprPointer vector;     // load
  std::vector<int> rows, columns, batch, depth;
  int column = -1;
  bool vector_is_constant = false;
};

/// Splits grid axes that are used as floor_divide(axis, c) in two, so that a group of a convolution
/// becomes an axis of its own. Gives how many were split. Position: before collapse_axes and
/// match_contraction.
int split_group_axes(Kernel& kernel);

/// The roles, or in words why the kernel is no contraction that the register tile can run
/// ("the padding of operand 0 is guarded by a select: materialise it first").
Result<Contraction> match_contraction(const Kernel& kernel);

/// What the hardware offers to a schedule.
struct VectorUnit {
  int bits = 256;      ///< 256 or 512
  int registers = 16;  ///< 16 or 32
  int64_t l1_bytes = 32768, l2_bytes = 1048576;
};

/// Rewrites constant operand and kernel so that panels of `vector_elements` columns are contiguous
/// (Layout blocks on the column axis; an index that joins several axes, such as a group, is split
/// into dims of its own first: same bytes in natural order). `unsupported` when no layout says it.
Status pack_constant_operand(Kernel& kernel, const Contraction& contraction, int vector_elements);

/// Schedules worth timing for this contraction, the best guess first; never empty.
std::vector<Schedule> contraction_schedules(const Kernel& kernel, const Contraction& contraction,
                                            const VectorUnit& unit);

/// The schedule of the general family: vector axis with unit stride, wide virtual vectors, grid
/// tiles that are large enough to be worth a thread.
Schedule general_schedule(const Kernel& kernel, const VectorUnit& unit);

}  // namespace tenon::loop
