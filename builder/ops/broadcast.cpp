// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/broadcast.h"

#include "builder/ops/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (size_t i = 0; i < rank; ++i) {
    const Dim left = i < rank - a.size() ? Dim(1) : a[i - (rank - a.size())];
    const Dim right = i < rank - b.size() ? Dim(1) : b[i - (rank - b.size())];
    if (left == right || right == Dim(1)) {
      result[i] = left;
    } else if (left == Dim(1)) {
      result[i] = right;
    } else if (left.is_constant() && right.is_constant()) {
      return invalid(
          fmt::format("shapes {} and {} do not broadcast: {} and {} differ and neither is 1",
                      ir::to_string(a), ir::to_string(b), left.to_string(), right.to_string()));
    } else {
      return not_supported_yet(
          fmt::format("broadcasting {} with {}: nothing says that dims {} and {} are equal; give "
                      "both the same name",
                      ir::to_string(a), ir::to_string(b), left.to_string(), right.to_string()));
    }
  }
  return result;
}

Result<Shape> broadcast_inputs(const OpView& op) {
  Shape shape;
  for (int i = 0; i < static_cast<int>(op.inputs.size()); ++i) {
    if (!op.has(i)) continue;
    TENON_ASSIGN(shape, broadcast(shape, op.type(i).shape));
  }
  return shape;
}

Indices broadcast_indices(const Shape& shape, const Indices& indices) {
  Indices result(shape.size());
  const size_t skipped = indices.size() - shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    result[i] = shape[i] == Dim(1) ? loop::index_constant(0) : indices[skipped + i];
  }
  return result;
}

void for_each_point(const std::vector<int64_t>& dims, const Operands& operands,
                    const std::function<void(int64_t, const int64_t*)>& visit) {
  const size_t rank = dims.size();
  std::vector<std::vector<int64_t>> strides(operands.size(), std::vector<int64_t>(rank, 0));
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands[k]) continue;
    const auto& shape = operands[k]->dims;
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      if (shape[i] != 1) strides[k][rank - shape.size() + i] = stride;
      stride *= shape[i];
    }
  }
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  std::vector<int64_t> offsets(operands.size(), 0);
  const bool aligned = std::all_of(operands.begin(), operands.end(),
                                   [&](const auto* x) { return !x || x->dims == dims; });
  if (aligned) {
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < operands.size(); ++k) offsets[k] = operands[k] ? i : 0;
      visit(i, offsets.data());
    }
    return;
  }
  std::vector<int64_t> position(rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(i, offsets.data());
    for (size_t axis = rank; axis-- > 0;) {
      for (size_t k = 0; k < operands.size(); ++k) offsets[k] += strides[k][axis];
      if (++position[axis] < dims[axis]) break;
      for (size_t k = 0; k < operands.size(); ++k) offsets[k] -= strides[k][axis] * dims[axis];
      position[axis] = 0;
    }
  }
}

}  // namespace tenon::ops
