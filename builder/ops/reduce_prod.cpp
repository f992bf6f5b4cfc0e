// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"

namespace tenon::ops {

TENON_OP(ReduceProd) {
  op.name = "reduce_prod";
  op.summary = "y = product of x over axes";
  ReductionSteps steps;
  steps.reals = [](const std::vector<double>& x) {
    double product = 1;
    for (const double v : x) product *= v;
    return product;
  };
  steps.integers = [](const std::vector<int64_t>& x, [[maybe_unused]] DataType type) {
    uint64_t product = 1;
    for (const int64_t v : x) product *= static_cast<uint64_t>(v);
    return static_cast<int64_t>(product);
  };
  steps.combiner = loop::Combiner::product;
  define_reduction(op, "ReduceProd", summed_types(), steps);
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
