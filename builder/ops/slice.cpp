// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/point_map.h"
#include "builder/ops/slice_bounds.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  TensorType y{op.type(0).type, op.type(0).shape, {}};
  const auto axes = op.integers("axes"), steps = op.integers("steps");
  const auto starts = dims_attribute(op, "starts"), sizes = dims_attribute(op, "sizes");
  if (starts.size() != axes.size() || sizes.size() != axes.size() || steps.size() != axes.size()) {
    return invalid("slice: axes, starts, sizes and steps must have as many values");
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] < 0 || axes[i] >= y.rank()) {
      return invalid(
          fmt::format("slice: axis {} is outside of {}", axes[i], ir::to_string(y.shape)));
    }
    if (starts[i].is_constant() && sizes[i].is_constant() && y.shape[axes[i]].is_constant() &&
        sizes[i].constant() > 0) {
      const int64_t last = starts[i].constant() + (sizes[i].constant() - 1) * steps[i];
      const int64_t dim = y.shape[axes[i]].constant();
      if (starts[i].constant() < 0 || starts[i].constant() >= dim || last < 0 || last >= dim) {
        return invalid(fmt::format("slice: start {}, size {}, step {} leave axis {} of {}",
                                   starts[i].constant(), sizes[i].constant(), steps[i], axes[i],
                                   ir::to_string(y.shape)));
      }
    }
    y.shape[axes[i]] = sizes[i];
  }
  return Types{y};
}

std::optional<std::vector<Dim>> known(const OpView& op) {
  const auto elements = op.elements(0);
  const auto axes = op.integers("axes"), steps = op.integers("steps");
  const auto starts = dims_attribute(op, "starts"), sizes = dims_attribute(op, "sizes");
  if (!elements || op.type(0).rank() != 1 || axes.size() != 1) return std::nullopt;
  if (!starts[0].is_constant() || !sizes[0].is_constant()) return std::nullopt;
  std::vector<Dim> result;
  for (int64_t i = 0; i < sizes[0].constant(); ++i) {
    result.push_back((*elements)[starts[0].constant() + i * steps[0]]);
  }
  return result;
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  const auto axes = op.integers("axes"), steps = op.integers("steps");
  const auto starts = dims_attribute(op, "starts"), sizes = dims_attribute(op, "sizes");
  std::vector<int64_t> first(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    TENON_ASSIGN(first[i],
                 concrete_start(op.type(0).shape[axes[i]], in[0]->dims[axes[i]], starts[i]));
  }
  std::vector<int64_t> source;
  copy_points(*in[0], *out[0], [&](const std::vector<int64_t>& at) {
    source = at;
    for (size_t i = 0; i < axes.size(); ++i) source[axes[i]] = first[i] + at[axes[i]] * steps[i];
    return &source;
  });
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const auto axes = op.integers("axes"), steps = op.integers("steps");
  const auto starts = dims_attribute(op, "starts");
  Indices source = at;
  for (size_t i = 0; i < axes.size(); ++i) {
    source[axes[i]] = loop::dim_value(starts[i]) + at[axes[i]] * loop::index_constant(steps[i]);
  }
  return lowering.input(0, source);
}

/// Attributes before opset 10, inputs since.
Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  Value* x = node.inputs[0];
  std::vector<Dim> starts, ends;
  std::vector<int64_t> axes, steps;
  if (node.opset() < 10) {
    starts = ir::to_shape(node.integers("starts"));
    ends = ir::to_shape(node.integers("ends"));
    axes = node.integers("axes");
  } else {
    TENON_ASSIGN(starts, required_elements(node, 1, "starts"));
    TENON_ASSIGN(ends, required_elements(node, 2, "ends"));
    if (node.has(3)) {
      TENON_ASSIGN(axes, required_integers(node, 3, "axes"));
    }
    if (node.has(4)) {
      TENON_ASSIGN(steps, required_integers(node, 4, "steps"));
    }
  }
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (steps.empty()) steps.assign(axes.size(), 1);
  if (starts.size() != axes.size() || ends.size() != axes.size() || steps.size() != axes.size()) {
    return invalid(
        fmt::format("{} starts, {} ends, {} axes and {} steps are given; they must be as many",
                    starts.size(), ends.size(), axes.size(), steps.size()));
  }
  std::vector<int64_t> kept_axes, kept_steps;
  std::vector<Dim> kept_starts, kept_sizes;
  for (size_t i = 0; i < axes.size(); ++i) {
    TENON_ASSIGN(const int axis, normal_axis(axes[i], x->type.rank()));
    const Dim dim = x->type.shape[axis];
    TENON_ASSIGN(const SliceBounds bounds, slice_bounds(dim, starts[i], ends[i], steps[i]));
    if (bounds.start == Dim(0) && bounds.size == dim && steps[i] == 1) continue;
    kept_axes.push_back(axis);
    kept_steps.push_back(steps[i]);
    kept_starts.push_back(bounds.start);
    kept_sizes.push_back(bounds.size);
  }
  if (kept_axes.empty()) return forward(x);
  return importer.node("slice", {x},
                       {{"axes", kept_axes},
                        {"steps", kept_steps},
                        {"starts", make_dims_attribute(kept_starts)},
                        {"sizes", make_dims_attribute(kept_sizes)}});
}

}  // namespace

TENON_OP(Slice) {
  op.name = "slice";
  op.summary = "y[i] = x[start + i*step] for i < size, on each of axes";
  op.kind = Kind::movement;
  op.inputs = {{"data", any_types()}};
  op.attributes = {{"axes", std::vector<int64_t>{}, true},
                   {"starts", std::vector<int64_t>{}, true},
                   {"sizes", std::vector<int64_t>{}, true},
                   {"steps", std::vector<int64_t>{}, true}};
  op.onnx_names = {{"Slice", "", 1, import}};
  op.infer = infer;
  op.known_elements = known;
  op.reference = reference;
  op.lower = lower;
  op.examples = {"f32[5,4] {axes=[0],starts=[1],sizes=[3],steps=[1]}",
                 "f32[5,4] {axes=[0,1],starts=[4,0],sizes=[5,2],steps=[-1,2]}",
                 "i64[3] {axes=[0],starts=[0],sizes=[0],steps=[1]}",
                 "f16[N,6] {axes=[1],starts=[2],sizes=[2],steps=[2]}"};
}

}  // namespace tenon::ops
