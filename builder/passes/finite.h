// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/data_type.h>

#include <vector>

namespace tenon::passes {

/// Whether every number is finite after rounding to `type`: a constant that a rewrite makes must
/// not be infinite where the computation it replaces stays in range.
bool stay_finite(const std::vector<double>& numbers, DataType type);

}  // namespace tenon::passes
