// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(ReduceL1) {
  op.name = "reduce_l1";
  op.summary = "y = sum of |x| over axes";
  ReductionSteps steps;
  steps.reals = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += std::fabs(v);
    return sum;
  };
  steps.integers = [](const std::vector<int64_t>& x, [[maybe_unused]] DataType type) {
    uint64_t sum = 0;
    for (const int64_t v : x) {
      const bool negative = is_signed_integer(type) && v < 0;
      sum += negative ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    }
    return static_cast<int64_t>(sum);
  };
  steps.prepare = [](const ExprPointer& x) {
    return is_unsigned_integer(x->type) ? x : loop::unary(loop::ExprOp::absolute, x);
  };
  define_reduction(op, "ReduceL1", summed_types(), steps);
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
