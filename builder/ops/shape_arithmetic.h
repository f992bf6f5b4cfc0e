// SPDX-License-Identifier: Apache-2.0
// Elements that are known before the run, through the operators that shape computations use.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

using KnownElements = std::function<std::optional<std::vector<Dim>>(const OpView&)>;

/// f of the operands' elements, pairwise; a single element goes with each of the other's.
KnownElements known_pairwise(std::function<std::optional<Dim>(const Dim&, const Dim&)> f);
/// The elements of input 0 unchanged.
std::optional<std::vector<Dim>> known_as_input(const OpView& op);
/// A static shape of few elements; nothing else can have known elements.
std::optional<std::vector<int64_t>> small_static_dims(const Shape& shape);

}  // namespace tenon::ops
