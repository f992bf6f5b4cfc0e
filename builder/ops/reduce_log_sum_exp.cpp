// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/reduction.h"

#include <cmath>
#include <limits>

namespace tenon::ops {
namespace {

double log_sum_exp(const std::vector<double>& x) {
  double largest = -INFINITY, sum = 0;
  for (const double v : x) largest = std::fmax(largest, v);
  if (std::isinf(largest)) {
    for (const double v : x)
      if (std::isnan(v)) return v;
    return largest;
  }
  for (const double v : x) sum += std::exp(v - largest);
  return largest + std::log(sum);
}

/// m + log(sum of exp(x - m)), where m is the maximum, or 0 while that is infinite.
ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const TensorType& x = op.type(0);
  const auto axes = op.integers("axes");
  const bool keepdims = op.integer("keepdims") != 0;
  Shape extents;
  for (const int64_t axis : axes) extents.push_back(x.shape[axis]);
  const auto element = [&](const Indices& r) {
    return lowering.input(0, reduced_source(x.rank(), axes, keepdims, at, r));
  };
  if (axes.empty()) return element({});
  const ExprPointer largest = lowering.reduce(loop::Combiner::maximum, extents, element);
  const auto infinity = like(largest, std::numeric_limits<double>::infinity());
  const auto is_infinite = equal(loop::unary(loop::ExprOp::absolute, largest), infinity);
  const ExprPointer offset = loop::select(is_infinite, like(largest, 0), largest);
  const ExprPointer sum = lowering.reduce(loop::Combiner::sum, extents, [&](const Indices& r) {
    return loop::unary(loop::ExprOp::exp, element(r) - offset);
  });
  return offset + loop::unary(loop::ExprOp::log, sum);
}

}  // namespace

TENON_OP(ReduceLogSumExp) {
  op.name = "reduce_log_sum_exp";
  op.summary = "y = log of the sum of exp(x) over axes, without overflow";
  ReductionSteps steps;
  steps.reals = log_sum_exp;
  define_reduction(op, "ReduceLogSumExp", floats(), steps);
  op.lower = lower;
  op.examples.push_back("f32[0,4] {axes=[0],keepdims=0}");
}

}  // namespace tenon::ops
