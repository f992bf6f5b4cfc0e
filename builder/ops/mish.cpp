// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Mish) {
  op.name = "mish";
  op.summary = "y = x * tanh(log(1 + exp(x)))";
  define_unary(
      op, "Mish", 18, floats(), pointwise([](double x) {
        return x * std::tanh(std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))));
      }),
      [](const ExprPointer& x) { return x * loop::unary(loop::ExprOp::tanh, softplus(x)); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
