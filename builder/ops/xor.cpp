// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

namespace tenon::ops {

TENON_OP(Xor) {
  op.name = "xor";
  op.summary = "y = a xor b";
  define_binary(op, "Xor", 7, booleans(), pointwise([](int64_t a, int64_t b) { return a ^ b; }),
                [](const ExprPointer& a, const ExprPointer& b) {
                  return loop::binary(loop::ExprOp::bit_xor, a, b);
                });
  op.examples = {"bool[2,3] bool[3]", "bool[4] bool[4]"};
}

}  // namespace tenon::ops
