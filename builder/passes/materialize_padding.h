// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/passes/pass.h"

namespace tenon::passes {

/// conv(x, w, b){pads=p} => conv(pad(x){p}, w, b){pads=0}
/// The copy costs a pass over the input, and lets the register tile of the contraction load without
/// tests; a depthwise convolution keeps its padding, because it is no contraction.
///
/// Requires: conv has explicit pads.
/// Ensures:  no contraction guards its loads.
/// Position: before fusion, so that the copy joins the producer where it can.
Result<bool> materialize_padding(ir::Graph& graph, const PassContext& context);

}  // namespace tenon::passes
