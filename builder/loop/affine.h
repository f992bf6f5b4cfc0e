// SPDX-License-Identifier: Apache-2.0
// Index expressions as sums of multiples of axes.
#pragma once

#include "builder/loop/kernel.h"

#include <map>
#include <optional>
#include <vector>

namespace tenon::loop {

/// constant + sum of coefficient * axis; no zero coefficients are stored.
struct Affine {
  Dim constant;
  std::map<int, Dim> coefficients;
  Dim coefficient(int axis) const {
    auto found = coefficients.find(axis);
    return found == coefficients.end() ? Dim(0) : found->second;
  }
  bool operator==(const Affine&) const = default;
};

/// The affine form of an i64 expression over axes, dims and constants; nothing when it has others
/// (floor_divide that does not cancel, loads, ...).
std::optional<Affine> affine(const ExprPointer& index);

/// Element offset from the buffer's start of logical `indices`, through its layout. Nothing when an index
/// is not affine, or a blocked axis' index is not provably aligned.
std::optional<Affine> element_offset(const Buffer& buffer, const std::vector<ExprPointer>& indices);

/// Axes that an expression uses, through loads' indices and stage arguments, not through stages' bodies.
std::vector<int> axes_of(const ExprPointer& expression);

/// Whether one axis changes the expression.
bool depends_on(const ExprPointer& expression, int axis);

}  // namespace tenon::loop
