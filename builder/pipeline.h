// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/pass_manager.h"

namespace tenon {

/// The passes over the graph, in order. What follows them (lowering, code generation, memory, emission)
/// is in build.cpp.
Pipeline make_pipeline();

}  // namespace tenon
