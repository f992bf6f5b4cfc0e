// SPDX-License-Identifier: Apache-2.0
// Runs a kernel slowly and plainly: what generated code is compared with. Never in a plan.
#pragma once

#include "builder/loop/kernel.h"

#include <tenon/status.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tenon::loop {

/// `buffers`: physical bytes of each buffer for these symbol values. Arithmetic in the expression's
/// own type (f32 rounds to f32 at each operation). Every load and store is checked against its
/// shape.
Status interpret(const Kernel& kernel, const std::map<std::string, int64_t>& symbols,
                 std::span<const std::span<std::byte>> buffers);

}  // namespace tenon::loop
