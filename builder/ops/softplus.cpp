// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Softplus) {
  op.name = "softplus";
  op.summary = "y = log(1 + exp(x))";
  define_unary(op, "Softplus", 1, floats(), pointwise([](double x) {
                 return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
               }),
               [](const ExprPointer& x) { return softplus(x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
