// SPDX-License-Identifier: Apache-2.0
// Rounding of the reference's values to element types.
#pragma once

#include <tenon/data_type.h>

#include <cstdint>

namespace tenon::ops {

/// Modulo 2^bits; to bool: is not 0.
int64_t wrap_to_type(DataType type, int64_t value);

}  // namespace tenon::ops
