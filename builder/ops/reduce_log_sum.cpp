// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(ReduceLogSum) {
  op.name = "reduce_log_sum";
  op.summary = "y = log of the sum of x over axes";
  ReductionSteps steps;
  steps.reals = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return std::log(sum);
  };
  steps.finish = [](const ExprPointer& total, [[maybe_unused]] const ExprPointer& count) {
    return loop::unary(loop::ExprOp::log, total);
  };
  define_reduction(op, "ReduceLogSum", floats(), steps);
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
