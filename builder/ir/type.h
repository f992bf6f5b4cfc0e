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

/// More axes than this are refused everywhere: kernels and plans hold indices in arrays of this size.
inline constexpr int kMaximumRank = 32;
/// Elements of a tensor whose bytes can be counted with room for sums over a graph.
inline constexpr int64_t kMaximumElements = int64_t{1} << 56;
/// Whether a tensor of this rank, or of this type at the most elements of `ranges`, is possible; the
/// error says what is not. Symbols without a range may be small.
Status check_rank(size_t rank);
Status check_size(const TensorType& type, const SymbolRanges& ranges = {});

/// "f32[N,16,8,8]:nhwc"; parses back.
std::string to_string(const TensorType& type);
/// "[N,16,8,8]"
std::string to_string(const Shape& shape);
Result<TensorType> parse_type(std::string_view text);

}  // namespace tenon::ir
