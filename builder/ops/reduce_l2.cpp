// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(ReduceL2) {
  op.name = "reduce_l2";
  op.summary = "y = square root of the sum of x*x over axes";
  ReductionSteps steps;
  steps.reals = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v * v;
    return std::sqrt(sum);
  };
  steps.prepare = [](const ExprPointer& x) { return x * x; };
  steps.finish = [](const ExprPointer& total, [[maybe_unused]] const ExprPointer& count) {
    return loop::unary(loop::ExprOp::square_root, total);
  };
  define_reduction(op, "ReduceL2", floats(), steps);
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
