// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"
#include "builder/ops/reference_tensor.h"

namespace tenon::ops {

TENON_OP(ReduceMean) {
  op.name = "reduce_mean";
  op.summary = "y = sum of x over axes / count";
  ReductionSteps steps;
  steps.reals = [](const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
  };
  steps.integers = [](const std::vector<int64_t>& x, [[maybe_unused]] DataType type) {
    uint64_t sum = 0;
    for (const int64_t v : x) sum += static_cast<uint64_t>(v);
    const auto count = static_cast<int64_t>(x.size());
    if (count == 0) return int64_t{0};
    if (type == DataType::u64) return static_cast<int64_t>(sum / static_cast<uint64_t>(count));
    return wrap_to_type(type, static_cast<int64_t>(sum)) / count;
  };
  steps.finish = [](const ExprPointer& total, [[maybe_unused]] const ExprPointer& count) {
    return total / count;
  };
  define_reduction(op, "ReduceMean", summed_types(), steps);
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
