// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/window.h"

#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

Status check_count(const std::vector<int64_t>& values, size_t wanted, const char* name,
                   int64_t smallest) {
  if (!values.empty() && values.size() != wanted) {
    return invalid(
        fmt::format("attribute \"{}\" has {} values, not {}", name, values.size(), wanted));
  }
  for (const int64_t value : values) {
    if (value < smallest || value > (int64_t{1} << 31)) {
      return invalid(
          fmt::format("attribute \"{}\" holds {}; it must be at least {}", name, value, smallest));
    }
  }
  return {};
}

/// SAME: as many windows as strides fit; the odd pad goes to the end (upper) or the beginning
/// (lower).
void pad_same(WindowAxis& axis, bool upper) {
  axis.output = Dim::ceil_div(axis.input, axis.stride);
  const Dim total =
      Dim::maximum((axis.output - Dim(1)) * Dim(axis.stride) + Dim(axis.span()) - axis.input, 0);
  const Dim half = Dim::floor_div(total, 2);
  axis.begin = upper ? half : total - half;
  axis.end = total - axis.begin;
}

/// Windows that fit; with ceil_mode also one that overhangs, unless it would start in the end
/// padding.
void count_windows(WindowAxis& axis, bool ceil_mode) {
  const Dim padded = axis.input + axis.begin + axis.end;
  const Dim room = padded - Dim(axis.span());
  if (!ceil_mode) {
    axis.output = Dim::floor_div(room, axis.stride) + Dim(1);
    return;
  }
  const Dim started = Dim::ceil_div(axis.input + axis.begin, axis.stride);
  axis.output = Dim::minimum(Dim::ceil_div(room, axis.stride) + Dim(1), started);
  axis.may_overhang = true;
}

}  // namespace

void add_window_attributes(OpDefinition& op) {
  op.is_spatial = true;
  op.attributes.push_back({"strides", std::vector<int64_t>{}});
  op.attributes.push_back({"dilations", std::vector<int64_t>{}});
  op.attributes.push_back({"pads", std::vector<int64_t>{}});
  op.attributes.push_back({"auto_pad", std::string("NOTSET")});
}

Result<std::vector<WindowAxis>> window_axes(const OpView& op, const Shape& spatial,
                                            const std::vector<int64_t>& kernel) {
  const size_t rank = spatial.size();
  if (rank == 0 || rank > kMostSpatialAxes) {
    return not_supported_yet(
        fmt::format("{} over {} spatial axes; 1 to {} are", op.op, rank, kMostSpatialAxes));
  }
  const auto strides = op.integers("strides"), dilations = op.integers("dilations"),
             pads = op.integers("pads");
  if (kernel.size() != rank) {
    return invalid(
        fmt::format("the kernel has {} axes, the input has {} spatial ones", kernel.size(), rank));
  }
  TENON_RETURN_IF_ERROR(check_count(kernel, rank, "kernel_shape", 1));
  TENON_RETURN_IF_ERROR(check_count(strides, rank, "strides", 1));
  TENON_RETURN_IF_ERROR(check_count(dilations, rank, "dilations", 1));
  TENON_RETURN_IF_ERROR(check_count(pads, 2 * rank, "pads", 0));
  const std::string auto_pad = op.text("auto_pad", "NOTSET");
  const bool ceil_mode = op.integer("ceil_mode") != 0;

  std::vector<WindowAxis> axes(rank);
  for (size_t i = 0; i < rank; ++i) {
    WindowAxis& axis = axes[i];
    axis.input = spatial[i];
    axis.kernel = kernel[i];
    if (!strides.empty()) axis.stride = strides[i];
    if (!dilations.empty()) axis.dilation = dilations[i];
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
      pad_same(axis, auto_pad == "SAME_UPPER");
      continue;
    }
    if (auto_pad != "NOTSET" && auto_pad != "VALID" && !auto_pad.empty()) {
      return invalid(fmt::format("auto_pad \"{}\" is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER",
                                 auto_pad));
    }
    if (auto_pad != "VALID" && !pads.empty()) {
      axis.begin = pads[i];
      axis.end = pads[rank + i];
    }
    count_windows(axis, ceil_mode);
    if (axis.output.is_constant() && axis.output.constant() < 0) axis.output = 0;
  }
  return axes;
}

Result<Attributes> import_window(const NodeView& node, const Shape& spatial,
                                 const std::vector<int64_t>& kernel) {
  Attributes attributes;
  for (const char* name : {"strides", "dilations", "pads"}) {
    const auto values = node.integers(name);
    const int64_t neutral = name == std::string_view("pads") ? 0 : 1;
    const bool trivial =
        std::all_of(values.begin(), values.end(), [&](int64_t value) { return value == neutral; });
    if (!trivial) attributes[name] = values;
  }
  if (node.integer("ceil_mode") != 0) attributes["ceil_mode"] = int64_t{1};
  attributes["auto_pad"] = node.text("auto_pad", "NOTSET");
  const OpView view{node.node.op_type, attributes, {}, {}, {}, 1};
  TENON_ASSIGN(const auto axes, window_axes(view, spatial, kernel));
  if (node.text("auto_pad", "NOTSET") == "NOTSET") {
    attributes.erase("auto_pad");
    return attributes;
  }
  std::vector<Dim> begins, ends;
  bool padded = false;
  for (const auto& axis : axes) {
    begins.push_back(axis.begin);
    ends.push_back(axis.end);
    padded = padded || axis.begin != Dim(0) || axis.end != Dim(0);
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  if (ir::is_static(begins)) {
    attributes.erase("auto_pad");
    attributes.erase("pads");
    if (padded) attributes["pads"] = ir::static_dims(begins);
  }
  return attributes;
}

ExprPointer tap_position(const WindowAxis& axis, const ExprPointer& o, const ExprPointer& k) {
  return o * loop::index_constant(axis.stride) + k * loop::index_constant(axis.dilation) -
         loop::dim_value(axis.begin);
}

void require_inside(const WindowAxis& axis, const ExprPointer& position, ExprPointer& condition) {
  const auto require = [&](const ExprPointer& next) {
    condition = condition ? loop::binary(loop::ExprOp::bit_and, condition, next) : next;
  };
  if (axis.checks_below()) require(less_equal(loop::index_constant(0), position));
  if (axis.checks_above()) require(less(position, loop::dim_value(axis.input)));
}

Result<std::array<ConcreteAxis, 3>> concrete_window(const OpView& op,
                                                    const std::vector<int64_t>& dims,
                                                    const std::vector<int64_t>& kernel) {
  const Shape spatial(dims.begin() + 2, dims.end());
  TENON_ASSIGN(const auto axes, window_axes(op, spatial, kernel));
  std::array<ConcreteAxis, 3> result;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto& axis = axes[i];
    result[kMostSpatialAxes - axes.size() + i] = {
        axis.input.constant(), axis.output.constant(), axis.kernel,        axis.stride,
        axis.dilation,         axis.begin.constant(),  axis.end.constant()};
  }
  return result;
}

}  // namespace tenon::ops
