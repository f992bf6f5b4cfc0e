// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh, erf ... as polynomials over arithmetic: generated code calls no library.
#pragma once

#include "builder/loop/kernel.h"

namespace tenon::loop {

/// Replaces every function (ExprOp::exp and later ones) by arithmetic, in f32 and f64. Error bounds in
/// units in the last place stand beside each function and are tested. NaN gives NaN; overflow inf.
void expand_functions(Kernel& kernel);
ExprPointer expand_functions(const ExprPointer& expression);

}  // namespace tenon::loop
