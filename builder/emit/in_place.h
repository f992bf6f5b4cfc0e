// SPDX-License-Identifier: Apache-2.0
// Whether a kernel may write its result over what it reads.
#pragma once

#include "builder/loop/kernel.h"

#include <set>

namespace tenon::emit {

/// Whether every element of the buffers `inputs` (all of one storage) is read only to compute the
/// element of `output` at the same place, so that they may share memory whatever the schedule: the
/// sizes and element widths agree, every element is stored once, and all loads are in the stage
/// that stores, at its offset.
bool can_overwrite(const loop::Kernel& kernel, const std::set<int>& inputs, int output);

}  // namespace tenon::emit
