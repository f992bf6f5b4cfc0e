// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/window.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  if (x.rank() < 3) return invalid("max_pool: X must have batch, channel and spatial axes");
  const Shape spatial(x.shape.begin() + 2, x.shape.end());
  TENON_ASSIGN(const auto axes, window_axes(op, spatial, op.integers("kernel_shape")));
  TensorType y{x.type, {x.shape[0], x.shape[1]}, {}};
  for (const auto& axis : axes) y.shape.push_back(axis.output);
  return Types{y};
}

template <typename T>
void pool(const std::array<ConcreteAxis, 3>& axes, const std::vector<T>& x, std::vector<T>& y,
          T lowest, int64_t planes) {
  const auto& [d, h, w] = axes;
  size_t next = 0;
  for (int64_t plane = 0; plane < planes; ++plane) {
    const T* image = x.data() + plane * d.input * h.input * w.input;
    for (int64_t od = 0; od < d.output; ++od)
      for (int64_t oh = 0; oh < h.output; ++oh)
        for (int64_t ow = 0; ow < w.output; ++ow) {
          T best = lowest;
          for (int64_t kd = 0; kd < d.kernel; ++kd) {
            const int64_t id = od * d.stride - d.begin + kd * d.dilation;
            if (id < 0 || id >= d.input) continue;
            for (int64_t kh = 0; kh < h.kernel; ++kh) {
              const int64_t ih = oh * h.stride - h.begin + kh * h.dilation;
              if (ih < 0 || ih >= h.input) continue;
              for (int64_t kw = 0; kw < w.kernel; ++kw) {
                const int64_t iw = ow * w.stride - w.begin + kw * w.dilation;
                if (iw < 0 || iw >= w.input) continue;
                const T value = image[(id * h.input + ih) * w.input + iw];
                // A NaN is kept once it is met.
                if (value > best || value != value) best = value;
              }
            }
          }
          y[next++] = best;
        }
  }
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  const ReferenceTensor& x = *in[0];
  TENON_ASSIGN(const auto axes, concrete_window(op, x.dims, op.integers("kernel_shape")));
  const int64_t planes = x.dims[0] * x.dims[1];
  if (is_float(x.type)) {
    pool(axes, x.reals, out[0]->reals, -std::numeric_limits<double>::infinity(), planes);
  } else {
    const int64_t lowest = is_signed_integer(x.type) ? -(int64_t{1} << (bit_width(x.type) - 1)) : 0;
    pool(axes, x.integers, out[0]->integers, lowest, planes);
  }
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const TensorType& x = op.type(0);
  const Shape spatial(x.shape.begin() + 2, x.shape.end());
  const auto kernel = op.integers("kernel_shape");
  const auto axes = *window_axes(op, spatial, kernel);
  const DataType type = loop::compute_type(x.type);
  const auto lowest =
      is_float(type)
          ? loop::real_constant(type, -std::numeric_limits<double>::infinity())
          : loop::integer_constant(
                type, is_signed_integer(type) ? -(int64_t{1} << (bit_width(type) - 1)) : 0);
  return lowering.reduce(loop::Combiner::maximum, ir::to_shape(kernel), [&](const Indices& r) {
    Indices source{at[0], at[1]};
    ExprPointer inside;
    for (size_t i = 0; i < axes.size(); ++i) {
      source.push_back(tap_position(axes[i], at[i + 2], r[i]));
      require_inside(axes[i], source.back(), inside);
    }
    const ExprPointer value = lowering.input(0, source);
    return inside ? loop::select(inside, value, lowest) : value;
  });
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (node.output_count > 1 && !node.node.output_names[1].empty()) {
    return not_supported_yet("output Indices of MaxPool");
  }
  if (!node.has(0)) return invalid("needs input X");
  const Shape& shape = node.inputs[0]->type.shape;
  if (shape.size() < 3) return invalid("X must have batch, channel and spatial axes");
  const auto kernel = node.integers("kernel_shape");
  TENON_ASSIGN(Attributes attributes,
               import_window(node, Shape(shape.begin() + 2, shape.end()), kernel));
  attributes["kernel_shape"] = kernel;
  TENON_ASSIGN(Value * y, single(importer, "max_pool", node.inputs, std::move(attributes)));
  return std::vector<Value*>(node.output_count, y);
}

const TypeSet& pooled_types() {
  static const TypeSet set{DataType::f64,  DataType::f32, DataType::f16,
                           DataType::bf16, DataType::i8,  DataType::u8};
  return set;
}

}  // namespace

TENON_OP(MaxPool) {
  op.name = "max_pool";
  op.summary = "y[n,c,p] = max over k of x[n,c,p*stride - pad + k*dilation], padding left out";
  op.kind = Kind::reduction;
  op.inputs = {{"X", pooled_types()}};
  add_window_attributes(op);
  op.attributes.push_back({"ceil_mode", int64_t{0}});
  op.attributes.push_back({"kernel_shape", std::vector<int64_t>{}, true});
  op.onnx_names = {{"MaxPool", "", 1, import}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.examples = {
      "f32[2,3,6,6] {kernel_shape=[2,2],strides=[2,2]}",
      "f32[1,2,7,7] {kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1]}",
      "f32[1,1,3,6,5] {kernel_shape=[3,3,3],strides=[3,3,3],pads=[1,1,1,1,1,1],ceil_mode=1}",
      "f64[1,2,9] {kernel_shape=[3],dilations=[2]}",
      "f16[1,2,4,4] {kernel_shape=[2,2]}",
      "i8[1,2,5,5] {kernel_shape=[3,3],pads=[1,1,1,1]}",
      "u8[1,2,5,5] {kernel_shape=[3,3]}",
      "f32[N,2,H,W] {kernel_shape=[2,2],strides=[2,2]}"};
}

}  // namespace tenon::ops
