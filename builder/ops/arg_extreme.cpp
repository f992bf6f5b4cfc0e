// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/arg_extreme.h"

#include "builder/ops/axis.h"
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/reduction.h"

#include <cmath>
#include <limits>

namespace tenon::ops {
namespace {

using loop::ExprOp;

Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), x.rank()));
  if (x.shape[axis] == Dim(0)) return invalid(op.op + ": the axis has no elements");
  TensorType y = reduced_type(x, {axis}, op.integer("keepdims") != 0);
  y.type = DataType::i64;
  return Types{y};
}

/// -1, 0 or 1 as `a` is worse than, as good as or better than `b`.
int compare(const ReferenceTensor& x, int64_t a, int64_t b, bool largest) {
  const auto order = [&](auto left, auto right) {
    if (left == right) return 0;
    return (left > right) == largest ? 1 : -1;
  };
  if (is_float(x.type)) {
    const double left = x.reals[a], right = x.reals[b];
    if (std::isnan(left) || std::isnan(right)) return std::isnan(left) - std::isnan(right);
    return order(left, right);
  }
  if (x.type == DataType::u64) {
    return order(static_cast<uint64_t>(x.integers[a]), static_cast<uint64_t>(x.integers[b]));
  }
  return order(x.integers[a], x.integers[b]);
}

Status reference(const OpView& op, const Operands& in, const Results& out, bool largest) {
  const ReferenceTensor& x = *in[0];
  TENON_ASSIGN(const int axis, normal_axis(op.integer("axis"), static_cast<int>(x.dims.size())));
  const AxisView view = around_axis(x.dims, axis);
  const bool takes_last = op.integer("select_last_index") != 0;
  for (int64_t o = 0; o < view.outer; ++o) {
    for (int64_t i = 0; i < view.inner; ++i) {
      const int64_t start = o * view.size * view.inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < view.size; ++k) {
        const int order = compare(x, start + k * view.inner, start + best * view.inner, largest);
        if (order > 0 || (order == 0 && takes_last)) best = k;
      }
      out[0]->integers[o * view.inner + i] = best;
    }
  }
  return {};
}

ExprPointer worst(DataType type, bool largest) {
  if (is_float(type)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return loop::real_constant(type, largest ? -infinity : infinity);
  }
  const int shift = 64 - bit_width(type);
  const int64_t low = is_signed_integer(type) ? INT64_MIN >> shift : 0;
  const int64_t high =
      is_signed_integer(type) ? INT64_MAX >> shift : static_cast<int64_t>(~uint64_t{0} >> shift);
  return loop::integer_constant(type, largest ? low : high);
}

/// Reduces (value, index) pairs. Ties go by the index, so that any order of joining gives the same.
ExprPointer lower(const OpView& op, Lowering& lowering, const Indices& at, bool largest) {
  const TensorType& x = op.type(0);
  const int axis = *normal_axis(op.integer("axis"), x.rank());
  const bool keepdims = op.integer("keepdims") != 0;
  const bool takes_last = op.integer("select_last_index") != 0;
  const DataType type = loop::compute_type(x.type);
  const auto both = [](const ExprPointer& a, const ExprPointer& b) {
    return loop::binary(ExprOp::bit_and, a, b);
  };
  const auto either = [](const ExprPointer& a, const ExprPointer& b) {
    return loop::binary(ExprOp::bit_or, a, b);
  };
  const auto join = [&](const std::vector<ExprPointer>& state,
                        const std::vector<ExprPointer>& next) {
    ExprPointer better = largest ? less(state[0], next[0]) : less(next[0], state[0]);
    ExprPointer same = equal(state[0], next[0]);
    if (is_float(type)) {
      const auto old_nan = loop::unary(ExprOp::is_nan, state[0]);
      const auto new_nan = loop::unary(ExprOp::is_nan, next[0]);
      better = either(better, both(new_nan, logical_not(old_nan)));
      same = either(same, both(new_nan, old_nan));
    }
    const auto wins_tie = takes_last ? less(state[1], next[1]) : less(next[1], state[1]);
    const auto takes = either(better, both(same, wins_tie));
    return std::vector<ExprPointer>{loop::select(takes, next[0], state[0]),
                                    loop::select(takes, next[1], state[1])};
  };
  const auto body = [&](const Indices& r) {
    return std::vector<ExprPointer>{
        lowering.input(0, reduced_source(x.rank(), {axis}, keepdims, at, r)), r[0]};
  };
  const int64_t no_index = takes_last ? -1 : std::numeric_limits<int64_t>::max();
  return lowering.reduce({x.shape[axis]}, {worst(type, largest), loop::index_constant(no_index)},
                         body, join)[1];
}

}  // namespace

void define_arg_extreme(OpDefinition& op, const char* onnx, bool largest) {
  op.kind = Kind::reduction;
  op.inputs = {{"data", numbers()}};
  op.attributes = {
      {"axis", int64_t{0}}, {"keepdims", int64_t{1}}, {"select_last_index", int64_t{0}}};
  op.onnx_names = {{onnx, "", 1, import_as(op.name)}};
  op.infer = infer;
  op.reference = [largest](const OpView& view, const Operands& in, const Results& out) {
    return reference(view, in, out, largest);
  };
  op.lower = [largest](const OpView& view, Lowering& lowering, int, const Indices& at) {
    return lower(view, lowering, at, largest);
  };
  op.examples = {"f32[3,5] {axis=1}",
                 "f32[2,3,4] {axis=1,keepdims=0}",
                 "i32[6]=[1,3,3,0,0,2]",
                 "i32[6]=[1,3,3,0,0,2] {select_last_index=1}",
                 "f16[2,5] {axis=-1}",
                 "u8[2,5] {axis=1}",
                 "f32[N,10] {axis=1,keepdims=0}"};
}

}  // namespace tenon::ops
