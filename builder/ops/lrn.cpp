// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

#include <algorithm>
#include <cmath>

namespace tenon::ops {
namespace {

using loop::ExprOp;

Result<Types> infer(const OpView& op) {
  if (op.type(0).rank() < 2) return invalid("lrn: X must have a channel axis, axis 1");
  if (op.integer("size") < 1) return invalid("lrn: size must be positive");
  return Types{TensorType{op.type(0).type, op.type(0).shape, {}}};
}

/// Channels c - (size-1)/2 to c + size/2.
Status reference(const OpView& op, const Operands& in, const Results& out) {
  const AxisView view = around_axis(in[0]->dims, 1);
  const int64_t size = op.integer("size");
  const double scale = op.real("alpha") / static_cast<double>(size);
  for (int64_t i = 0; i < in[0]->count(); ++i) {
    const int64_t c = i / view.inner % view.size;
    double squares = 0;
    for (int64_t k = std::max<int64_t>(0, c - (size - 1) / 2);
         k <= std::min(view.size - 1, c + size / 2); ++k) {
      const double value = in[0]->reals[i + (k - c) * view.inner];
      squares += value * value;
    }
    out[0]->reals[i] =
        in[0]->reals[i] / std::pow(op.real("bias") + scale * squares, op.real("beta"));
  }
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const int64_t size = op.integer("size");
  const Dim& channels = op.type(0).shape[1];
  const DataType type = loop::compute_type(op.type(0).type);
  const ExprPointer squares =
      lowering.reduce(loop::Combiner::sum, {Dim(size)}, [&](const Indices& r) {
        Indices source = at;
        source[1] = at[1] + r[0] - loop::index_constant((size - 1) / 2);
        const auto inside =
            loop::binary(ExprOp::bit_and, less_equal(loop::index_constant(0), source[1]),
                         less(source[1], loop::dim_value(channels)));
        const ExprPointer value = lowering.input(0, source);
        return loop::select(inside, value * value, loop::constant(type, 0));
      });
  const auto scale = loop::constant(type, op.real("alpha") / static_cast<double>(size));
  const auto base = loop::constant(type, op.real("bias")) + scale * squares;
  return lowering.input(0, at) /
         loop::binary(ExprOp::power, base, loop::constant(type, op.real("beta")));
}

}  // namespace

TENON_OP(Lrn) {
  op.name = "lrn";
  op.summary = "y = x / (bias + alpha/size * sum of x*x over size channels around) ^ beta";
  op.kind = Kind::reduction;
  op.inputs = {{"X", floats()}};
  op.attributes = {{"alpha", 0.0001}, {"beta", 0.75}, {"bias", 1.0}, {"size", int64_t{0}, true}};
  op.onnx_names = {{"LRN", "", 1, import_as("lrn")}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[2,5,3,3] {size=3}", "f32[1,4,2,2] {size=4,alpha=0.5,beta=0.5,bias=2.0}",
                 "f64[1,3,2] {size=5}", "f16[1,3,2,2] {size=3}", "f32[N,3,2,2] {size=3}"};
}

}  // namespace tenon::ops
