// SPDX-License-Identifier: Apache-2.0
// Where an operand of a contraction lies, packed into panels or not.
#pragma once

#include "builder/loop/affine.h"
#include "builder/loop/kernel.h"

#include <cstdint>
#include <optional>

namespace tenon::loop {

/// Element offset of a load: `offset`, and for a packed operand also
/// (panel_axis / panel_size) * panel_stride + panel_axis % panel_size.
struct OperandMap {
  Affine offset;        ///< without the panel axis
  int panel_axis = -1;  ///< -1: not packed
  int64_t panel_size = 0;
  Dim panel_stride;

  /// Stride along an axis; 1 along the panel axis, within a panel.
  Dim stride(int axis) const { return axis == panel_axis ? Dim(1) : offset.coefficient(axis); }
};

/// The map of a load (or of a cast of one); nothing when it is not affine.
std::optional<OperandMap> operand_map(const Kernel& kernel, const ExprPointer& operand);

/// The load under a cast, or the load itself; null for anything else.
ExprPointer loaded(const ExprPointer& operand);

/// The only axis of an index that is exactly one axis; -1 otherwise.
int bare_axis(const ExprPointer& index);

/// A guess at a dim for choices that need a number: symbols count as 64.
int64_t estimate(const Dim& dim);

}  // namespace tenon::loop
