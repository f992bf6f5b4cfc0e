// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/window.h"

#include <algorithm>

namespace tenon::ops {
namespace {

using loop::ExprOp;

Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  if (x.rank() < 3) return invalid("average_pool: X must have batch, channel and spatial axes");
  const Shape spatial(x.shape.begin() + 2, x.shape.end());
  TENON_ASSIGN(const auto axes, window_axes(op, spatial, op.integers("kernel_shape")));
  TensorType y{x.type, {x.shape[0], x.shape[1]}, {}};
  for (const auto& axis : axes) y.shape.push_back(axis.output);
  return Types{y};
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  const ReferenceTensor& x = *in[0];
  TENON_ASSIGN(const auto axes, concrete_window(op, x.dims, op.integers("kernel_shape")));
  const auto& [d, h, w] = axes;
  const bool include_pad = op.integer("count_include_pad") != 0;
  // With padding counted, taps beyond the padding (of an overhanging window) still are not.
  const auto inside = [](const ConcreteAxis& axis, int64_t at) {
    return at >= 0 && at < axis.input;
  };
  const auto counted = [&](const ConcreteAxis& axis, int64_t at) {
    return include_pad ? at < axis.input + axis.end : inside(axis, at);
  };
  size_t next = 0;
  for (int64_t plane = 0; plane < x.dims[0] * x.dims[1]; ++plane) {
    const double* image = x.reals.data() + plane * d.input * h.input * w.input;
    for (int64_t od = 0; od < d.output; ++od)
      for (int64_t oh = 0; oh < h.output; ++oh)
        for (int64_t ow = 0; ow < w.output; ++ow) {
          double sum = 0;
          int64_t count = 0;
          for (int64_t kd = 0; kd < d.kernel; ++kd)
            for (int64_t kh = 0; kh < h.kernel; ++kh)
              for (int64_t kw = 0; kw < w.kernel; ++kw) {
                const int64_t id = od * d.stride - d.begin + kd * d.dilation;
                const int64_t ih = oh * h.stride - h.begin + kh * h.dilation;
                const int64_t iw = ow * w.stride - w.begin + kw * w.dilation;
                count += counted(d, id) && counted(h, ih) && counted(w, iw);
                if (inside(d, id) && inside(h, ih) && inside(w, iw)) {
                  sum += image[(id * h.input + ih) * w.input + iw];
                }
              }
          out[0]->reals[next++] = sum / static_cast<double>(count);
        }
  }
  return {};
}

/// Taps of the window at `o` that count: those k in [0, kernel) with low <= start + k*dilation <
/// high.
ExprPointer counted_taps(const WindowAxis& axis, const ExprPointer& o, bool include_pad) {
  const bool all = include_pad ? !axis.may_overhang : !axis.checks_below() && !axis.checks_above();
  if (all) return loop::index_constant(axis.kernel);
  const auto start = tap_position(axis, o, loop::index_constant(0));
  // Taps below `bound`: ceil((bound - start) / dilation), between 0 and kernel.
  const auto below = [&](const ExprPointer& bound) {
    const auto room = bound - start + loop::index_constant(axis.dilation - 1);
    const auto taps = loop::binary(ExprOp::floor_divide, room, loop::index_constant(axis.dilation));
    const auto some = loop::binary(ExprOp::maximum, taps, loop::index_constant(0));
    return loop::binary(ExprOp::minimum, some, loop::index_constant(axis.kernel));
  };
  const Dim high = include_pad ? axis.input + axis.end : axis.input;
  const auto up_to_end = below(loop::dim_value(high));
  return include_pad ? up_to_end : up_to_end - below(loop::index_constant(0));
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const TensorType& x = op.type(0);
  const Shape spatial(x.shape.begin() + 2, x.shape.end());
  const auto kernel = op.integers("kernel_shape");
  const auto axes = *window_axes(op, spatial, kernel);
  const DataType type = loop::compute_type(x.type);
  const ExprPointer sum =
      lowering.reduce(loop::Combiner::sum, ir::to_shape(kernel), [&](const Indices& r) {
        Indices source{at[0], at[1]};
        ExprPointer inside;
        for (size_t i = 0; i < axes.size(); ++i) {
          source.push_back(tap_position(axes[i], at[i + 2], r[i]));
          require_inside(axes[i], source.back(), inside);
        }
        const ExprPointer value = lowering.input(0, source);
        return inside ? loop::select(inside, value, loop::constant(type, 0)) : value;
      });
  ExprPointer count = loop::index_constant(1);
  for (size_t i = 0; i < axes.size(); ++i) {
    count = count * counted_taps(axes[i], at[i + 2], op.integer("count_include_pad") != 0);
  }
  if (count->op == ExprOp::constant) {
    return sum / loop::constant(type, static_cast<double>(count->integer));
  }
  return sum / loop::cast(type, count);
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input X");
  const Shape& shape = node.inputs[0]->type.shape;
  if (shape.size() < 3) return invalid("X must have batch, channel and spatial axes");
  const auto kernel = node.integers("kernel_shape");
  TENON_ASSIGN(Attributes attributes,
               import_window(node, Shape(shape.begin() + 2, shape.end()), kernel));
  attributes["kernel_shape"] = kernel;
  attributes["count_include_pad"] = node.integer("count_include_pad", 0);
  return importer.node("average_pool", node.inputs, std::move(attributes));
}

}  // namespace

TENON_OP(AveragePool) {
  op.name = "average_pool";
  op.summary = "y[n,c,p] = mean over k of x[n,c,p*stride - pad + k*dilation]";
  op.kind = Kind::reduction;
  op.inputs = {{"X", floats()}};
  add_window_attributes(op);
  op.attributes.push_back({"ceil_mode", int64_t{0}});
  op.attributes.push_back({"count_include_pad", int64_t{0}});
  op.attributes.push_back({"kernel_shape", std::vector<int64_t>{}, true});
  op.onnx_names = {{"AveragePool", "", 1, import}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.examples = {
      "f32[2,3,6,6] {kernel_shape=[2,2],strides=[2,2]}",
      "f32[1,2,7,7] {kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1]}",
      "f32[1,2,7,7] {kernel_shape=[3,3],strides=[2,2],pads=[1,1,1,1],count_include_pad=1}",
      "f32[1,1,9] {kernel_shape=[7],strides=[3],pads=[3,3],ceil_mode=1,count_include_pad=1}",
      "f32[1,1,3,6,5] {kernel_shape=[3,3,3],strides=[3,3,3],pads=[1,1,1,1,1,1],ceil_mode=1}",
      "f64[1,2,9] {kernel_shape=[3],dilations=[2],pads=[2,2]}",
      "f16[1,2,4,4] {kernel_shape=[2,2]}",
      "f32[N,2,H,W] {kernel_shape=[3,3],pads=[1,1,1,1]}"};
}

}  // namespace tenon::ops
