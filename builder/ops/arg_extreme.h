// SPDX-License-Identifier: Apache-2.0
// What ArgMax and ArgMin share.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

/// The index of the largest (or smallest) element along axis. The first NaN counts as both.
void define_arg_extreme(OpDefinition& op, const char* onnx, bool largest);

}  // namespace tenon::ops
