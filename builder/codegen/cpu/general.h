// SPDX-License-Identifier: Apache-2.0
// The general family: any kernel, with one vector axis and loops for the rest.
#pragma once

#include "builder/codegen/cpu/emit_context.h"

namespace tenon::codegen {

/// Emits the body of the kernel between the context's entry and finish(), and fills grid, grain and
/// scratch_bytes. Every kernel that loop::verify accepts can be emitted.
Status emit_general(EmitContext& context);

}  // namespace tenon::codegen
