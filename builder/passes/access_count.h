// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/graph.h"

namespace tenon::passes {

/// How many elements of input `input` the node loads to compute all elements of its first output, found
/// by lowering one element and multiplying by the extents around each load. Equal to the input's size
/// when each element is read once; more for windows that overlap, broadcasts and several passes.
ir::Dim loads_of(const ir::Node& node, int input);

}  // namespace tenon::passes
