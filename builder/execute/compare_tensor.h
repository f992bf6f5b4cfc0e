// SPDX-License-Identifier: Apache-2.0
// Compares a strided tensor in memory with a reference.
#pragma once

#include "builder/ops/op.h"

#include <tenon/verify.h>

#include <span>

namespace tenon {

/// Fills the numbers of `comparison` and whether it passed: floats by relative L2 distance,
/// integers exactly. Where both have NaN, or the same infinity, they agree. A reference of only
/// zeros is compared absolutely. The dims are those of the reference.
void compare_tensor(const void* data, std::span<const int64_t> strides,
                    const ops::ReferenceTensor& reference, double relative_l2_limit,
                    TensorComparison& comparison);

/// Strides of a row-major tensor.
std::vector<int64_t> row_major_strides(std::span<const int64_t> dims);

}  // namespace tenon
