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
    for (int64_t i = 0; i < count; ++i) sum += std::exp(x[i * stride] - largest);
    for (int64_t i = 0; i < count; ++i) y[i * stride] = x[i * stride] - largest - std::log(sum);
  });
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const SoftmaxParts parts = softmax_parts(op, lowering, at);
  return parts.shifted - loop::unary(loop::ExprOp::log, parts.sum);
}

}  // namespace

TENON_OP(LogSoftmax) {
  op.name = "log_softmax";
  op.summary = "y = x - max - log(sum of exp(x - max)), along axis";
  op.onnx_names = {{"LogSoftmax", "", 1, import_softmax("log_softmax")}};
  define_softmax(op);
  op.reference = reference;
  op.lower = lower;
}

}  // namespace tenon::ops
