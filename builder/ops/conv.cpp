// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/inner_loop.h"
#include "builder/ops/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

using loop::Combiner;
using loop::ExprOp;

/// Dims of the weights behind the channels; they must be numbers.
Result<std::vector<int64_t>> kernel_of(const TensorType& x, const TensorType& weights) {
  if (x.rank() < 3 || weights.rank() != x.rank()) {
    return invalid(fmt::format("conv: X {} and W {} must have the same rank, at least 3",
                               ir::to_string(x.shape), ir::to_string(weights.shape)));
  }
  const Shape kernel(weights.shape.begin() + 2, weights.shape.end());
  if (!ir::is_static(kernel)) {
    return not_supported_yet("a convolution kernel of symbolic size " +
                             ir::to_string(weights.shape));
  }
  return ir::static_dims(kernel);
}

Shape spatial_of(const TensorType& x) { return Shape(x.shape.begin() + 2, x.shape.end()); }

Result<Types> infer(const OpView& op) {
  const TensorType &x = op.type(0), &weights = op.type(1);
  TENON_ASSIGN(const auto kernel, kernel_of(x, weights));
  const int64_t group = op.integer("group");
  if (group < 1) return invalid(fmt::format("conv: group is {}, must be positive", group));
  if (x.shape[1] != weights.shape[1] * Dim(group)) {
    return invalid(fmt::format("conv: X {} has {} channels, but W {} with group {} takes {}",
                               ir::to_string(x.shape), x.shape[1].to_string(),
                               ir::to_string(weights.shape), group,
                               (weights.shape[1] * Dim(group)).to_string()));
  }
  if (!Dim::exact_div(weights.shape[0], group)) {
    return invalid(fmt::format("conv: {} output channels do not divide into {} groups",
                               weights.shape[0].to_string(), group));
  }
  if (weights.type != x.type || (op.has(2) && op.type(2).type != x.type)) {
    return invalid("conv: X, W and B must be of one type");
  }
  if (op.has(2) && op.type(2).shape != Shape{weights.shape[0]}) {
    return invalid(fmt::format("conv: B {} does not fit {} output channels",
                               ir::to_string(op.type(2).shape), weights.shape[0].to_string()));
  }
  TENON_ASSIGN(const auto axes, window_axes(op, spatial_of(x), kernel));
  TensorType y{x.type, {x.shape[0], weights.shape[0]}, {}};
  for (const auto& axis : axes) y.shape.push_back(axis.output);
  return Types{y};
}

/// One row of outputs gets four input channels' taps at a time.
Status reference(const OpView& op, const Operands& in, const Results& out) {
  const ReferenceTensor &x = *in[0], &weights = *in[1];
  ReferenceTensor& y = *out[0];
  const std::vector<int64_t> kernel(weights.dims.begin() + 2, weights.dims.end());
  TENON_ASSIGN(const auto axes, concrete_window(op, x.dims, kernel));
  const auto& [d, h, w] = axes;
  const int64_t channels = weights.dims[1], outputs = weights.dims[0];
  const int64_t per_group = outputs / std::max<int64_t>(op.integer("group"), 1);
  const int64_t plane = d.input * h.input * w.input;
  const int64_t taps = d.kernel * h.kernel * w.kernel;
  std::vector<double> shifted;  // strided taps, gathered so that the inner loop is dense
  for (int64_t n = 0; n < x.dims[0]; ++n) {
    for (int64_t oc = 0; oc < outputs; ++oc) {
      const double* filter = weights.reals.data() + oc * channels * taps;
      const double* image = x.reals.data() + (n * x.dims[1] + oc / per_group * channels) * plane;
      double* result = y.reals.data() + (n * outputs + oc) * d.output * h.output * w.output;
      const double bias = in.size() > 2 && in[2] ? in[2]->reals[oc] : 0;
      std::fill_n(result, d.output * h.output * w.output, bias);
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t kd = tap / (h.kernel * w.kernel), kh = tap / w.kernel % h.kernel,
                      kw = tap % w.kernel;
        const int64_t shift = kw * w.dilation - w.begin;
        // Outputs ow with 0 <= ow*stride + shift < input.
        const int64_t low = shift >= 0 ? 0 : (-shift + w.stride - 1) / w.stride;
        const int64_t past = w.input - shift;
        const int64_t high = past <= 0 ? 0 : std::min(w.output, (past + w.stride - 1) / w.stride);
        const int64_t count = high - low;
        if (count <= 0) continue;
        for (int64_t od = 0; od < d.output; ++od) {
          const int64_t id = od * d.stride - d.begin + kd * d.dilation;
          if (id < 0 || id >= d.input) continue;
          for (int64_t oh = 0; oh < h.output; ++oh) {
            const int64_t ih = oh * h.stride - h.begin + kh * h.dilation;
            if (ih < 0 || ih >= h.input) continue;
            double* row = result + (od * h.output + oh) * w.output + low;
            const double* from = image + (id * h.input + ih) * w.input + low * w.stride + shift;
            for (int64_t c = 0; c < channels; c += 4) {
              const int rows = static_cast<int>(std::min<int64_t>(4, channels - c));
              const double* sources[4];
              double factors[4];
              if (w.stride != 1) shifted.resize(4 * count);
              for (int r = 0; r < rows; ++r) {
                factors[r] = filter[(c + r) * taps + tap];
                sources[r] = from + (c + r) * plane;
                if (w.stride == 1) continue;
                double* dense = shifted.data() + r * count;
                for (int64_t i = 0; i < count; ++i) dense[i] = sources[r][i * w.stride];
                sources[r] = dense;
              }
              add_scaled_rows(row, sources, factors, rows, count);
            }
          }
        }
      }
    }
  }
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const TensorType &x = op.type(0), &weights = op.type(1);
  const std::vector<int64_t> kernel = *kernel_of(x, weights);
  const auto axes = *window_axes(op, spatial_of(x), kernel);
  const int64_t group = op.integer("group");
  const Dim per_group = *Dim::exact_div(weights.shape[0], group);
  std::vector<Dim> extents{weights.shape[1]};
  for (const int64_t size : kernel) extents.emplace_back(size);
  const auto zero = loop::constant(loop::compute_type(x.type), 0);

  ExprPointer sum = lowering.reduce(Combiner::sum, extents, [&](const Indices& r) {
    ExprPointer channel = r[0];
    if (group != 1) {
      const auto g = loop::binary(ExprOp::floor_divide, at[1], loop::dim_value(per_group));
      channel = g * loop::dim_value(weights.shape[1]) + r[0];
    }
    Indices source{at[0], channel}, tap{at[1], r[0]};
    ExprPointer inside;
    for (size_t i = 0; i < axes.size(); ++i) {
      source.push_back(tap_position(axes[i], at[i + 2], r[i + 1]));
      require_inside(axes[i], source.back(), inside);
      tap.push_back(r[i + 1]);
    }
    ExprPointer value = lowering.input(0, source);
    if (inside) value = loop::select(inside, value, zero);
    return value * lowering.input(1, tap);
  });
  return op.has(2) ? sum + lowering.input(2, {at[1]}) : sum;
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0) || !node.has(1)) return invalid("needs inputs X and W");
  TENON_ASSIGN(const auto kernel, kernel_of(node.inputs[0]->type, node.inputs[1]->type));
  const auto stated = node.integers("kernel_shape");
  if (!stated.empty() && stated != kernel) {
    return invalid(fmt::format("kernel_shape [{}] differs from the weights' [{}]",
                               fmt::join(stated, ","), fmt::join(kernel, ",")));
  }
  TENON_ASSIGN(Attributes attributes,
               import_window(node, spatial_of(node.inputs[0]->type), kernel));
  attributes["group"] = node.integer("group", 1);
  return importer.node("conv", node.inputs, std::move(attributes));
}

}  // namespace

TENON_OP(Conv) {
  op.name = "conv";
  op.summary = "y[n,o,p] = b[o] + sum over c, k of x[n,c,p*stride - pad + k*dilation] * w[o,c,k]";
  op.kind = Kind::contraction;
  op.inputs = {{"X", floats()}, {"W", floats()}, {"B", floats(), true}};
  add_window_attributes(op);
  op.attributes.push_back({"group", int64_t{1}});
  op.onnx_names = {{"Conv", "", 1, import}};
  op.infer = infer;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[2,3,5,6] f32[4,3,3,3] f32[4] {pads=[1,1,1,1]}",
                 "f32[1,4,7,7] f32[6,2,3,3] {group=2,strides=[2,2],pads=[0,1,1,0]}",
                 "f32[1,4,6,6] f32[4,1,3,3] {group=4,dilations=[2,2]}",
                 "f64[1,2,9] f64[3,2,4] {strides=[2],auto_pad=\"SAME_UPPER\"}",
                 "f32[1,2,4,4,4] f32[2,2,2,2,2] f32[2] {pads=[1,0,0,0,1,0]}",
                 "f16[1,8,4,4] f16[8,8,1,1]",
                 "bf16[1,8,4,4] bf16[8,8,1,1] bf16[8]",
                 "f32[N,3,H,W] f32[4,3,3,3] {pads=[1,1,1,1]}",
                 "f32[0,3,5,5] f32[4,3,3,3]"};
}

}  // namespace tenon::ops
