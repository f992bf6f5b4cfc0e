// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/loop/kernel.h"

namespace tenon::loop {

/// Lays out each constant so that the axis along which the kernel stores neighbouring elements is
/// innermost in it, when every load of the constant indexes one of its dims by that axis alone: lanes
/// then load from consecutive addresses instead of gathering. For kernels of the general family, before
/// collapse_axes, which flattens buffers. Returns how many constants changed.
int lay_out_constants(Kernel& kernel);

}  // namespace tenon::loop
