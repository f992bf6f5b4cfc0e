// SPDX-License-Identifier: Apache-2.0
// Simplification of index expressions by the extents of their axes.
#pragma once

#include "builder/loop/expression.h"

#include <map>

namespace tenon::loop {

/// Axis number -> extent; every axis satisfies 0 <= axis < extent.
using Extents = std::map<int, Dim>;

/// Removes divisions, remainders, comparisons, minima and maxima of indices that the extents
/// decide: `floor_divide(c*H*W + h*W + w, H*W)` => `c`, and selects whose condition always or never
/// holds. Symbols are taken to be at least 0. Enters the bodies of reductions.
ExprPointer simplify(const ExprPointer& expression, const Extents& extents);

/// True when the index is provably inside [0, extent) at every point.
bool proves_inside(const ExprPointer& index, const Dim& extent, const Extents& extents);
/// True when the index is provably outside at some point, whatever the symbols are.
bool proves_outside(const ExprPointer& index, const Dim& extent, const Extents& extents);

}  // namespace tenon::loop
