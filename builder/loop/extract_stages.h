// SPDX-License-Identifier: Apache-2.0
// From one expression for each output to the stages of a kernel.
#pragma once

#include "builder/loop/kernel.h"
#include "builder/loop/simplify.h"

#include <vector>

namespace tenon::loop {

/// What one buffer gets: `value` at every point of `axes`, stored at `indices`.
struct OutputExpression {
  int buffer = 0;
  std::vector<int> axes;             ///< in memory order, outermost first
  std::vector<ExprPointer> indices;  ///< logical
  ExprPointer value;                 ///< of the buffer's type; may hold reductions
};

/// Fills axes, grid_rank and stages of a kernel whose buffers are set. The grid is those axes
/// common to all outputs that every reduction is computed at. Every distinct reduction becomes a
/// stage; equal ones, up to the names of their axes, become one. Axes outside the grid are shared
/// between stages where their extents agree, so that one schedule axis serves them all.
void extract_stages(Kernel& kernel, const std::vector<OutputExpression>& outputs,
                    const Extents& extents);

/// Turns values that cost a function call and are needed by several stages over the same inner axes
/// into a stage of their own, kept in a tile: exp(x - m) of a softmax is computed once.
void share_expensive_values(Kernel& kernel);

}  // namespace tenon::loop
