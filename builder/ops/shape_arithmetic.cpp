// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/shape_arithmetic.h"

#include "builder/ir/checked.h"
#include "builder/ops/reference_tensor.h"

#include <algorithm>

namespace tenon::ops {
namespace {

/// Dims saturate where elements of tensors wrap, so that the two agree only inside of the type.
bool leaves_type(const Dim& element, DataType type) {
  if (!element.is_constant()) return false;
  const int64_t value = element.constant();
  if (value == ir::kInt64Max || value == ir::kInt64Min) return true;
  if (type == DataType::u64) return value < 0;
  return wrap_to_type(type, value) != value;
}

}  // namespace

KnownElements known_pairwise(std::function<std::optional<Dim>(const Dim&, const Dim&)> f) {
  return [f](const OpView& op) -> std::optional<std::vector<Dim>> {
    // Ranks above one would need the broadcast of matrices; shape computations have none.
    if (op.type(0).rank() > 1 || op.type(1).rank() > 1) return std::nullopt;
    const auto a = op.elements(0), b = op.elements(1);
    if (!a || !b) return std::nullopt;
    if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return std::nullopt;
    std::vector<Dim> result;
    const size_t count = a->size() == 1 ? b->size() : a->size();
    for (size_t i = 0; i < count; ++i) {
      const auto element = f((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
      if (!element || leaves_type(*element, op.type(0).type)) return std::nullopt;
      result.push_back(*element);
    }
    return result;
  };
}

std::optional<std::vector<Dim>> known_as_input(const OpView& op) { return op.elements(0); }

std::optional<std::vector<int64_t>> small_static_dims(const Shape& shape) {
  constexpr int64_t kMostElements = 64;
  if (!ir::is_static(shape)) return std::nullopt;
  auto dims = ir::static_dims(shape);
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  if (count > kMostElements) return std::nullopt;
  return dims;
}

}  // namespace tenon::ops
