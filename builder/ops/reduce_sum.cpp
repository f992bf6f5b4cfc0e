// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"

namespace tenon::ops {

TENON_OP(ReduceSum) {
  op.name = "reduce_sum";
  op.summary = "y = sum of x over axes";
  ReductionSteps steps;
  steps.reals = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum;
  };
  steps.integers = [](const std::vector<int64_t>& x, [[maybe_unused]] DataType type) {
    uint64_t sum = 0;
    for (const int64_t v : x) sum += static_cast<uint64_t>(v);
    return static_cast<int64_t>(sum);
  };
  define_reduction(op, "ReduceSum", summed_types(), steps);
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
