// SPDX-License-Identifier: Apache-2.0
// The sizes that a plan is built for.
#pragma once

#include "builder/ir/graph.h"

#include <tenon/builder.h>
#include <tenon/status.h>

#include <string>

namespace tenon {

/// Gives every symbol of the graph's inputs its range: from `profile`, else 1:1:64 for a leading dim; any
/// other symbol without a range is an error that asks for --shape. Symbols whose range is one number
/// become that number everywhere.
Status apply_profile(ir::Graph& graph, const ShapeProfile& profile);

/// "image 1x1x8x8:1x1x8x8:64x1x8x8, mask 7": the profile as `--shape` takes it.
std::string describe_profile(const ir::Graph& graph);

}  // namespace tenon
