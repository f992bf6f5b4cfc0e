// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"
#include "builder/ops/shape_arithmetic.h"

namespace tenon::ops {

TENON_OP(Max) {
  op.name = "maximum";
  op.summary = "y = the largest of all inputs; NaN when any is NaN";
  define_binary(op, "Max", 1, numbers(), pointwise([](auto a, auto b) {
                  if (a != a) return a;
                  if (b != b) return b;
                  return b > a ? b : a;
                }),
                [](const ExprPointer& a, const ExprPointer& b) {
                  return loop::binary(loop::ExprOp::maximum, a, b);
                });
  op.onnx_names[0].import = import_chain("maximum");
  op.known_elements =
      known_pairwise([](const Dim& a, const Dim& b) { return std::optional(Dim::maximum(a, b)); });
  op.examples = {"f32[2,3] f32[2,3]", "f32[2,1] f32[1,3]", "f64[3] f64[]",     "f16[2,3] f16[3]",
                 "bf16[2] bf16[2]",   "i8[5] i8[5]",       "u8[5] u8[5]",      "u64[3] u64[3]",
                 "i64[2,3] i64[3]",   "f32[0,3] f32[3]",   "f32[N,3] f32[N,1]"};
}

}  // namespace tenon::ops
