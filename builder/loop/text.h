// SPDX-License-Identifier: Apache-2.0
// The text form of kernels; parses back.
#pragma once

#include "builder/loop/kernel.h"
#include "builder/loop/schedule.h"

#include <string>
#include <string_view>

namespace tenon::loop {

///   kernel @conv {
///     grid i0<N, i1<56
///     axis r0<64
///     %0 "x" : f32[N,64,56,56]:nhwc
///     %1 "w" : f32[...] const
///     %2 "y" : f32[...] out
///     s0 = sum(r0<64) : mul(load(%0, i0, r0), load(%1, r0))
///     %2[i0, i1] = max(s0, 0.0)
///   }
std::string to_string(const Kernel& kernel);
Result<Kernel> parse_kernel(std::string_view text);

}  // namespace tenon::loop
