// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/softmax_parts.h"

#include <cmath>

namespace tenon::ops {
namespace {

Status reference(const OpView& op, const Operands& in, const Results& out) {
  return for_each_row(op, in, out, [](const double* x, double* y, int64_t count, int64_t stride) {
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < count; ++i) largest = std::fmax(largest, x[i * stride]);
    for (int64_t i = 0; i < count; ++i) sum += y[i * stride] = std::exp(x[i * stride] - largest);
    for (int64_t i = 0; i < count; ++i) y[i * stride] /= sum;
  });
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const SoftmaxParts parts = softmax_parts(op, lowering, at);
  return loop::unary(loop::ExprOp::exp, parts.shifted) / parts.sum;
}

}  // namespace

TENON_OP(Softmax) {
  op.name = "softmax";
  op.summary = "y = exp(x - max) / sum of exp(x - max), along axis";
  op.onnx_names = {{"Softmax", "", 1, import_softmax("softmax")}};
  define_softmax(op);
  op.reference = reference;
  op.lower = lower;
}

}  // namespace tenon::ops
