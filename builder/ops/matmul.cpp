// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/broadcast.h"
#include "builder/ops/contraction_types.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

/// The batch dims, and the matrix dims where a vector is a row (left) or a column (right).
struct Operand {
  Shape batch;
  Dim rows, columns;
  bool is_vector = false;
};
Operand split(const Shape& shape, bool left) {
  if (shape.size() == 1) {
    return {{}, left ? Dim(1) : shape[0], left ? shape[0] : Dim(1), true};
  }
  return {Shape(shape.begin(), shape.end() - 2), shape[shape.size() - 2], shape.back(), false};
}

Result<Types> infer(const OpView& op) {
  const TensorType &a = op.type(0), &b = op.type(1);
  if (a.rank() == 0 || b.rank() == 0) return invalid("matmul: A and B must not be scalars");
  if (a.type != b.type) {
    return invalid(fmt::format("matmul: A is {}, B is {}; they must be of one type",
                               to_string(a.type), to_string(b.type)));
  }
  const Operand left = split(a.shape, true), right = split(b.shape, false);
  if (left.columns != right.rows) {
    return invalid(fmt::format("matmul: A {} and B {} disagree on the summed dim: {} and {}",
                               ir::to_string(a.shape), ir::to_string(b.shape),
                               left.columns.to_string(), right.rows.to_string()));
  }
  TensorType y{a.type, {}, {}};
  TENON_ASSIGN(y.shape, broadcast(left.batch, right.batch));
  if (!left.is_vector) y.shape.push_back(left.rows);
  if (!right.is_vector) y.shape.push_back(right.columns);
  return Types{y};
}

template <typename T>
void multiply(const T* a, const T* b, T* y, int64_t m, int64_t n, int64_t k) {
  std::fill_n(y, m * n, T(0));
  for (int64_t i = 0; i < m; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      for (int64_t p = 0; p < k; p += 4) {
        const int rows = static_cast<int>(std::min<int64_t>(4, k - p));
        const double* sources[4];
        for (int r = 0; r < rows; ++r) sources[r] = b + (p + r) * n;
        add_scaled_rows(y + i * n, sources, a + i * k + p, rows, n);
      }
    } else {
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j) {
          y[i * n + j] = wrapping_add(y[i * n + j], wrapping_multiply(a[i * k + p], b[p * n + j]));
        }
    }
  }
}

Status reference(const OpView&, const Operands& in, const Results& out) {
  const Shape a_shape = ir::to_shape(in[0]->dims), b_shape = ir::to_shape(in[1]->dims);
  const Operand left = split(a_shape, true), right = split(b_shape, false);
  const int64_t m = left.rows.constant(), k = left.columns.constant(), n = right.columns.constant();
  TENON_ASSIGN(const Shape batch, broadcast(left.batch, right.batch));
  // Stand-ins of the batches' shapes, for the offsets of their matrices.
  ReferenceTensor a_batch, b_batch;
  a_batch.dims = ir::static_dims(left.batch);
  b_batch.dims = ir::static_dims(right.batch);
  for_each_point(
      ir::static_dims(batch), {&a_batch, &b_batch}, [&](int64_t i, const int64_t* offset) {
        if (is_float(out[0]->type)) {
          multiply(in[0]->reals.data() + offset[0] * m * k, in[1]->reals.data() + offset[1] * k * n,
                   out[0]->reals.data() + i * m * n, m, n, k);
        } else {
          multiply(in[0]->integers.data() + offset[0] * m * k,
                   in[1]->integers.data() + offset[1] * k * n, out[0]->integers.data() + i * m * n,
                   m, n, k);
        }
      });
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const Operand left = split(op.type(0).shape, true), right = split(op.type(1).shape, false);
  const size_t matrix_axes = (left.is_vector ? 0 : 1) + (right.is_vector ? 0 : 1);
  const Indices batch(at.begin(), at.end() - static_cast<int64_t>(matrix_axes));
  return lowering.reduce(loop::Combiner::sum, {left.columns}, [&](const Indices& r) {
    Indices a = broadcast_indices(left.batch, batch), b = broadcast_indices(right.batch, batch);
    if (!left.is_vector) a.push_back(at[batch.size()]);
    a.push_back(r[0]);
    b.push_back(r[0]);
    if (!right.is_vector) b.push_back(at.back());
    return lowering.input(0, a) * lowering.input(1, b);
  });
}

}  // namespace

TENON_OP(Matmul) {
  op.name = "matmul";
  op.summary = "y[..., i, j] = sum over k of a[..., i, k] * b[..., k, j], batches broadcast";
  op.kind = Kind::contraction;
  op.inputs = {{"A", contraction_types()}, {"B", contraction_types()}};
  op.onnx_names = {{"MatMul", "", 1, import_as("matmul")}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[3,5] f32[5,4]", "f32[2,3,5] f32[5,4]",   "f32[2,1,3,5] f32[3,5,4]",
                 "f64[5] f64[5]",     "f32[3,5] f32[5]",       "f32[5] f32[2,5,4]",
                 "f16[3,8] f16[8,4]", "bf16[3,8] bf16[8,4]",   "i32[3,5] i32[5,4]",
                 "f32[N,5] f32[5,4]", "f32[N,M,5] f32[N,5,M]", "f32[3,0] f32[0,4]"};
}

}  // namespace tenon::ops
