// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Or) {
  op.name = "or";
  op.summary = "y = a or b";
  define_binary(op, "Or", 7, booleans(), pointwise([](int64_t a, int64_t b) { return a | b; }),
                [](const ExprPointer& a, const ExprPointer& b) {
                  return loop::binary(loop::ExprOp::bit_or, a, b);
                });
  op.examples = {"bool[2,3] bool[3]", "bool[4] bool[4]"};
}

}  // namespace tenon::ops
