// SPDX-License-Identifier: Apache-2.0
// Geometry of windows that slide over the spatial axes: convolution and pooling.
#pragma once

#include "builder/ops/op.h"

#include <array>

namespace tenon::ops {

/// One spatial axis: tap k of window o lies at o*stride - begin + k*dilation.
struct WindowAxis {
  Dim input, output;
  int64_t kernel = 1, stride = 1, dilation = 1;
  Dim begin = 0, end = 0;     ///< padding
  bool may_overhang = false;  ///< ceil_mode: the last window may reach beyond the padding

  int64_t span() const { return (kernel - 1) * dilation + 1; }
  bool checks_below() const { return begin != Dim(0); }
  bool checks_above() const { return end != Dim(0) || may_overhang; }
};

/// Attributes that all such operators share: strides, dilations, pads (empty: 1, 1, 0), auto_pad
/// and, for pooling, ceil_mode.
void add_window_attributes(OpDefinition& op);
/// `spatial`: the input's dims behind batch and channel.
Result<std::vector<WindowAxis>> window_axes(const OpView& op, const Shape& spatial,
                                            const std::vector<int64_t>& kernel);
/// The ONNX attributes in the graph's form: auto_pad becomes pads where the pads are constants.
Result<Attributes> import_window(const NodeView& node, const Shape& spatial,
                                 const std::vector<int64_t>& kernel);

/// Position of tap `k` of window `o`.
ExprPointer tap_position(const WindowAxis& axis, const ExprPointer& o, const ExprPointer& k);
/// Adds to `condition` (null: always true) that the position is not padding.
void require_inside(const WindowAxis& axis, const ExprPointer& position, ExprPointer& condition);

/// The same in numbers, always for three axes (leading ones of size 1), for references.
struct ConcreteAxis {
  int64_t input = 1, output = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;
};
Result<std::array<ConcreteAxis, 3>> concrete_window(const OpView& op,
                                                    const std::vector<int64_t>& dims,
                                                    const std::vector<int64_t>& kernel);
inline constexpr int kMostSpatialAxes = 3;

}  // namespace tenon::ops
