// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(Sigmoid) {
  op.name = "sigmoid";
  op.summary = "y = 1 / (1 + exp(-x))";
  define_unary(op, "Sigmoid", 1, floats(),
               pointwise([](double x) { return 1 / (1 + std::exp(-x)); }),
               [](const ExprPointer& x) { return sigmoid(x); });
  op.examples = {"f32[2,3]", "f64[7]", "f16[2,3]", "bf16[5]", "f32[0,3]", "f32[]"};
}

}  // namespace tenon::ops
