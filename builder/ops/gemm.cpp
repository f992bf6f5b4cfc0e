// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/broadcast.h"
#include "builder/ops/contraction_types.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/inner_loop.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  const TensorType &a = op.type(0), &b = op.type(1);
  if (a.rank() != 2 || b.rank() != 2) {
    return invalid(fmt::format("gemm: A {} and B {} must be matrices", ir::to_string(a.shape),
                               ir::to_string(b.shape)));
  }
  const bool trans_a = op.integer("transA") != 0, trans_b = op.integer("transB") != 0;
  const Dim m = a.shape[trans_a ? 1 : 0], k = a.shape[trans_a ? 0 : 1];
  const Dim n = b.shape[trans_b ? 0 : 1], other_k = b.shape[trans_b ? 1 : 0];
  if (k != other_k) {
    return invalid(fmt::format("gemm: A {} and B {} disagree on the summed dim: {} and {}",
                               ir::to_string(a.shape), ir::to_string(b.shape), k.to_string(),
                               other_k.to_string()));
  }
  if (b.type != a.type || (op.has(2) && op.type(2).type != a.type)) {
    return invalid("gemm: A, B and C must be of one type");
  }
  if (op.has(2)) {
    TENON_ASSIGN(const Shape shape, broadcast({m, n}, op.type(2).shape));
    if (shape != Shape{m, n}) {
      return invalid(fmt::format("gemm: C {} does not broadcast to {}",
                                 ir::to_string(op.type(2).shape), ir::to_string(Shape{m, n})));
    }
  }
  return Types{TensorType{a.type, {m, n}, {}}};
}

template <typename T>
void multiply(const OpView& op, const std::vector<T> ReferenceTensor::*data, const Operands& in,
              ReferenceTensor& y, std::vector<T> ReferenceTensor::*result) {
  const bool trans_a = op.integer("transA") != 0, trans_b = op.integer("transB") != 0;
  const auto &a = in[0]->*data, &b = in[1]->*data;
  const int64_t m = y.dims[0], n = y.dims[1], k = in[0]->dims[trans_a ? 0 : 1];
  const auto alpha = static_cast<T>(op.real("alpha")), beta = static_cast<T>(op.real("beta"));
  std::vector<T> row(k);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) row[p] = a[trans_a ? p * m + i : i * k + p];
    for (int64_t j = 0; j < n; ++j) {
      T sum = 0;
      if (trans_b)
        sum = dot_of(row.data(), b.data() + j * k, 1, k);
      else
        sum = dot_of(row.data(), b.data() + j, n, k);
      (y.*result)[i * n + j] = wrapping_multiply(alpha, sum);
    }
  }
  if (in.size() < 3 || !in[2]) return;
  for_each_point(y.dims, {in[2]}, [&](int64_t i, const int64_t* offset) {
    T& target = (y.*result)[i];
    target = wrapping_add(target, wrapping_multiply(beta, (in[2]->*data)[offset[0]]));
  });
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  if (is_float(out[0]->type)) {
    multiply<double>(op, &ReferenceTensor::reals, in, *out[0], &ReferenceTensor::reals);
  } else {
    multiply<int64_t>(op, &ReferenceTensor::integers, in, *out[0], &ReferenceTensor::integers);
  }
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const bool trans_a = op.integer("transA") != 0, trans_b = op.integer("transB") != 0;
  const Dim depth = op.type(0).shape[trans_a ? 0 : 1];
  ExprPointer y = lowering.reduce(loop::Combiner::sum, {depth}, [&](const Indices& r) {
    return lowering.input(0, trans_a ? Indices{r[0], at[0]} : Indices{at[0], r[0]}) *
           lowering.input(1, trans_b ? Indices{at[1], r[0]} : Indices{r[0], at[1]});
  });
  const auto scaled = [&](ExprPointer value, double factor) {
    return factor == 1 ? value : value * loop::constant(value->type, factor);
  };
  y = scaled(y, op.real("alpha"));
  if (!op.has(2) || op.real("beta") == 0) return y;
  return y + scaled(lowering.input(2, broadcast_indices(op.type(2).shape, at)), op.real("beta"));
}

}  // namespace

TENON_OP(Gemm) {
  op.name = "gemm";
  op.summary = "y = alpha * A' * B' + beta * C, where ' transposes when transA, transB say so";
  op.kind = Kind::contraction;
  op.inputs = {
      {"A", contraction_types()}, {"B", contraction_types()}, {"C", contraction_types(), true}};
  op.attributes = {{"alpha", 1.0}, {"beta", 1.0}, {"transA", int64_t{0}}, {"transB", int64_t{0}}};
  op.onnx_names = {{"Gemm", "", 7, import_as("gemm")}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[3,5] f32[5,4] f32[4]",
                 "f32[5,3] f32[4,5] {transA=1,transB=1,alpha=0.5}",
                 "f64[3,5] f64[5,4] f64[3,1] {beta=2.0}",
                 "f16[3,8] f16[8,4] f16[1]",
                 "i32[3,5] i32[5,4] i32[4]",
                 "f32[N,5] f32[5,4]",
                 "f32[3,0] f32[0,4] f32[4]",
                 "f32[2,3] f32[3,2] f32[2,2] {beta=0.0}"};
}

}  // namespace tenon::ops
