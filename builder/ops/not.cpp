// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Not) {
  op.name = "not";
  op.summary = "y = not x";
  define_unary(op, "Not", 1, booleans(), pointwise([](int64_t x) { return x == 0; }),
               [](const ExprPointer& x) { return logical_not(x); });
  op.examples = {"bool[2,3]", "bool[]"};
}

}  // namespace tenon::ops
