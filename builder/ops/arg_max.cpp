// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/arg_extreme.h"

namespace tenon::ops {

TENON_OP(ArgMax) {
  op.name = "arg_max";
  op.summary = "y = index of the largest element along axis; the first, or the last when asked for";
  define_arg_extreme(op, "ArgMax", true);
}

}  // namespace tenon::ops
