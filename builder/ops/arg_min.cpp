// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/arg_extreme.h"

namespace tenon::ops {

TENON_OP(ArgMin) {
  op.name = "arg_min";
  op.summary =
      "y = index of the smallest element along axis; the first, or the last when asked for";
  define_arg_extreme(op, "ArgMin", false);
}

}  // namespace tenon::ops
