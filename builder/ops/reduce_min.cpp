// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"

#include <cmath>

namespace tenon::ops {

TENON_OP(ReduceMin) {
  op.name = "reduce_min";
  op.summary = "y = the smallest of x over axes; NaN when any is NaN";
  ReductionSteps steps;
  steps.reals = [](const std::vector<double>& x) {
    double best = INFINITY;
    for (const double v : x) {
      if (std::isnan(v)) return v;
      if (v < best) best = v;
    }
    return best;
  };
  steps.integers = [](const std::vector<int64_t>& x, [[maybe_unused]] DataType type) {
    const bool is_unsigned = type == DataType::u64;
    const int bits = bit_width(type);
    int64_t best = is_signed_integer(type) ? INT64_MAX >> (64 - bits)
                                           : static_cast<int64_t>(~uint64_t{0} >> (64 - bits));
    for (const int64_t v : x) {
      const bool better =
          is_unsigned ? static_cast<uint64_t>(v) < static_cast<uint64_t>(best) : v < best;
      if (better) best = v;
    }
    return best;
  };
  steps.combiner = loop::Combiner::minimum;
  define_reduction(op, "ReduceMin", numbers(), steps);
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
