// SPDX-License-Identifier: Apache-2.0
// One kernel: an algorithm over axes, apart from the schedule that says how it runs.
#pragma once

#include "builder/ir/type.h"
#include "builder/loop/expression.h"

#include <tenon/status.h>

#include <string>
#include <vector>

namespace tenon::loop {

/// A loop variable, 0 <= axis < extent. Grid axes come first in a kernel and are shared by all stages;
/// the others belong to the stages that name them.
struct Axis {
  std::string name;
  Dim extent;
};

/// Memory that the kernel reads or writes, with logical shape and physical layout. Its number is the
/// number of the pointer in KernelArgs::buffers.
struct Buffer {
  std::string name;
  ir::TensorType type;
  bool written = false;
  bool constant = false;   ///< a weight: its layout may still be chosen by the schedule
};

/// Computes, at every point of grid axes x inner axes, either a reduction over `reduction.axes` or plain
/// values. Every slot has the type of its expression.
struct Stage {
  std::string name;
  std::vector<int> inner_axes;               ///< besides the grid axes
  std::shared_ptr<const Reduction> reduction;  ///< null: `values` are the result
  std::vector<ExprPointer> values;           ///< without a reduction: one for each slot
  /// Where slot 0 is stored; -1: kept for later stages (a register when there are no inner axes,
  /// else a tile of the worker's scratch, row-major over inner_axes).
  int buffer = -1;
  std::vector<ExprPointer> indices;          ///< logical, one for each dim of the buffer
  int slot_count() const {
    return static_cast<int>(reduction ? reduction->values.size() : values.size());
  }
};

/// Stages run in order for every point of the grid. No ExprOp::reduce is left inside expressions.
struct Kernel {
  std::string name;
  std::vector<Axis> axes;
  int grid_rank = 0;             ///< axes [0, grid_rank) are the grid
  std::vector<Buffer> buffers;
  std::vector<Stage> stages;
  double operations = 0;         ///< arithmetic operations at the optimum shape, for reports
};

/// Types agree, ids are in range, stages refer to earlier stages, axes belong to their stage or the grid,
/// every stored point is stored once per grid point, loads stay inside their shapes where provable.
Status verify(const Kernel& kernel);

}  // namespace tenon::loop
