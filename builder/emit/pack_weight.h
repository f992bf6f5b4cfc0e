// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/type.h"

#include <tenon/network.h>
#include <tenon/status.h>

#include <cstddef>
#include <vector>

namespace tenon::emit {

/// The bytes of a constant in the physical layout of `type`, padded lanes zero. `type` may have another
/// shape than the data when it has as many elements: a view of the same row-major order.
Result<std::vector<std::byte>> pack_weight(const TensorData& data, const ir::TensorType& type);

/// Whether packing changes nothing, so that the constant's own bytes can be written.
bool is_packed(const TensorData& data, const ir::TensorType& type);

}  // namespace tenon::emit
