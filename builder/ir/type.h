// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/dim.h"
#include "builder/ir/layout.h"

#include <tenon/data_type.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon::ir {

using Shape = std::vector<Dim>;

/// Element type, logical shape and physical layout of a value.
struct TensorType {
  DataType type = DataType::f32;
  Shape shape;
  Layout layout;

  int rank() const { return static_cast<int>(shape.size()); }
  bool operator==(const TensorType&) const = default;
};

/// Product of the dims; 1 for a scalar.
Dim element_count(const Shape& shape);
/// All dims constant.
bool is_static(const Shape& shape);
/// The constant dims of a static shape.
std::vector<int64_t> static_dims(const Shape& shape);
Shape to_shape(const std::vector<int64_t>& dims);

/// "f32[N,16,8,8]:nhwc"; parses back.
std::string to_string(const TensorType& type);
/// "[N,16,8,8]"
std::string to_string(const Shape& shape);
Result<TensorType> parse_type(std::string_view text);

}  // namespace tenon::ir
