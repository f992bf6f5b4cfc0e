// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/slice_bounds.h"

#include "builder/ops/failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

using ir::Dim;

/// Models write "to the end" as the largest number of 32 or 64 bits.
constexpr int64_t kEnd = int64_t{1} << 30;

/// A bound of a forward slice, clamped to [0, dim].
Result<Dim> clamp_forward(const Dim& dim, const Dim& bound) {
  if (bound.is_constant()) {
    const int64_t value = bound.constant();
    if (dim.is_constant()) {
      const int64_t size = dim.constant();
      return Dim(std::clamp<int64_t>(value < 0 ? std::max(value, -size) + size : value, 0, size));
    }
    if (value >= kEnd) return dim;
    if (value == 0) return Dim(0);
    return value > 0 ? Dim::minimum(dim, bound) : Dim::maximum(dim + bound, 0);
  }
  if (bound == dim) return dim;
  // Positive terms only: dims are not negative, so neither is the bound.
  bool may_be_negative = bound.constant() < 0;
  for (const auto& term : bound.terms()) may_be_negative = may_be_negative || term.second < 0;
  if (!may_be_negative) return Dim::minimum(dim, bound);
  // dim - c counts from the end, as -c does.
  if (const Dim difference = bound - dim; difference.is_constant() && difference.constant() <= 0) {
    return Dim::maximum(bound, 0);
  }
  return not_supported_yet(fmt::format("a slice of dim {} at {}, whose sign is not known",
                                       dim.to_string(), bound.to_string()));
}

Result<SliceBounds> backward(const Dim& dim, const Dim& start, const Dim& end, int64_t step) {
  if (!start.is_constant() || !end.is_constant()) {
    return not_supported_yet("a slice with negative step and symbolic bounds");
  }
  const int64_t from = start.constant(), to = end.constant();
  if (dim.is_constant()) {
    const int64_t size = dim.constant();
    const int64_t first =
        std::clamp<int64_t>(from < 0 ? std::max(from, -size - 1) + size : from, -1, size - 1);
    const int64_t past =
        std::clamp<int64_t>(to < 0 ? std::max(to, -size - 1) + size : to, -1, size - 1);
    // The step's magnitude is at least 1 and at most what 64 bits hold; -INT64_MIN would overflow.
    const int64_t stride = step == INT64_MIN ? INT64_MAX : -step;
    const int64_t count = first > past ? (first - past - 1) / stride + 1 : 0;
    return SliceBounds{Dim(count > 0 ? first : 0), Dim(count)};
  }
  const bool whole = (from == -1 || from >= kEnd) && to <= -kEnd && step == -1;
  if (!whole) return not_supported_yet("a slice with negative step of a part of a symbolic dim");
  return SliceBounds{dim - Dim(1), dim};
}

}  // namespace

Result<SliceBounds> slice_bounds(const Dim& dim, const Dim& start, const Dim& end, int64_t step) {
  if (step == 0) return invalid("a slice with step 0");
  if (step < 0) return backward(dim, start, end, step);
  TENON_ASSIGN(const Dim first, clamp_forward(dim, start));
  TENON_ASSIGN(const Dim past, clamp_forward(dim, end));
  if (first.is_constant() && past.is_constant()) {
    const int64_t length = std::max<int64_t>(past.constant() - first.constant(), 0);
    const int64_t count = length == 0 ? 0 : (length - 1) / step + 1;
    return SliceBounds{count > 0 ? first : Dim(0), Dim(count)};
  }
  Dim length = past - first;
  if (first != Dim(0) && past == dim && start.is_constant() && start.constant() > 0) {
    // dim - min(dim, s), in the form that x[:-s] has as well.
    length = Dim::maximum(dim - start, 0);
  } else if (first != Dim(0)) {
    length = Dim::maximum(length, 0);
  }
  return SliceBounds{first, step == 1 ? length : Dim::ceil_div(length, step)};
}

Result<int64_t> concrete_start(const Dim& dim, int64_t size, const Dim& start) {
  if (start.is_constant()) return start.constant();
  const auto symbol = dim.as_symbol();
  const auto value = start.evaluate([&](const std::string& name) -> std::optional<int64_t> {
    return symbol && *symbol == name ? std::optional(size) : std::nullopt;
  });
  if (!value) {
    return not_supported_yet(
        fmt::format("the reference of a slice that starts at {}", start.to_string()));
  }
  return *value;
}

}  // namespace tenon::ops
