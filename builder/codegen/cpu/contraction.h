// SPDX-License-Identifier: Apache-2.0
// The contraction family: a register tile over packed or unit-stride columns, with an epilogue.
#pragma once

#include "builder/codegen/cpu/emit_context.h"

#include <tenon/status.h>

namespace tenon::codegen {

/// Emits the body of a kernel that match_contraction accepts, and fills grid, grain and
/// scratch_bytes. `unsupported` when the schedule does not fit the kernel.
Status emit_contraction(EmitContext& context);

}  // namespace tenon::codegen
