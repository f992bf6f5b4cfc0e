// SPDX-License-Identifier: Apache-2.0
#include "builder/execute/compare_tensor.h"

#include "runtime/base/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon {
namespace {

template <typename T>
T load(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

double real_at(DataType type, const void* data, int64_t index) {
  switch (type) {
    case DataType::f64:
      return load<double>(data, index);
    case DataType::f32:
      return load<float>(data, index);
    case DataType::f16:
      return runtime::half_to_float(load<uint16_t>(data, index));
    case DataType::bf16:
      return runtime::bfloat16_to_float(load<uint16_t>(data, index));
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

int64_t integer_at(DataType type, const void* data, int64_t index) {
  switch (bit_width(type)) {
    case 64:
      return load<int64_t>(data, index);
    case 32:
      // The two types have no common type that holds both.
      if (is_signed_integer(type)) return load<int32_t>(data, index);
      return load<uint32_t>(data, index);
    case 16:
      return is_signed_integer(type) ? load<int16_t>(data, index) : load<uint16_t>(data, index);
    default:
      return is_signed_integer(type) ? load<int8_t>(data, index) : load<uint8_t>(data, index);
  }
}

/// Calls visit(row-major index, element offset) for every element.
template <typename Visit>
void for_each_element(std::span<const int64_t> dims, std::span<const int64_t> strides,
                      int64_t count, Visit visit) {
  std::vector<int64_t> position(dims.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<size_t>(i), offset);
    for (size_t axis = dims.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++position[axis] < dims[axis]) break;
      offset -= strides[axis] * dims[axis];
      position[axis] = 0;
    }
  }
}

class Distance {
 public:
  void add(double value, double reference) {
    if (value == reference || (std::isnan(value) && std::isnan(reference))) {
      if (std::isfinite(reference)) reference_squares_ += reference * reference;
      return;
    }
    if (std::isnan(value)) has_nan_ = true;
    const double difference = std::abs(value - reference);
    if (!std::isfinite(difference)) {
      incomparable_ = true;
      return;
    }
    squares_ += difference * difference;
    reference_squares_ += reference * reference;
    largest_ = std::max(largest_, difference);
  }
  void finish(TensorComparison& comparison) const {
    const double scale = reference_squares_ > 0 ? std::sqrt(reference_squares_) : 1;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    comparison.relative_l2 = incomparable_ ? kInfinity : std::sqrt(squares_) / scale;
    comparison.max_absolute = incomparable_ ? kInfinity : largest_;
    comparison.has_nan = has_nan_;
  }

 private:
  double squares_ = 0, reference_squares_ = 0, largest_ = 0;
  bool has_nan_ = false, incomparable_ = false;
};

}  // namespace

void compare_tensor(const void* data, std::span<const int64_t> strides,
                    const ops::ReferenceTensor& reference, double relative_l2_limit,
                    TensorComparison& comparison) {
  Distance distance;
  bool equal = true;
  const bool real = is_float(reference.type);
  for_each_element(reference.dims, strides, reference.count(), [&](size_t i, int64_t offset) {
    if (real) {
      distance.add(real_at(reference.type, data, offset), reference.reals[i]);
    } else {
      const int64_t value = integer_at(reference.type, data, offset);
      equal = equal && value == reference.integers[i];
      distance.add(static_cast<double>(value), static_cast<double>(reference.integers[i]));
    }
  });
  distance.finish(comparison);
  comparison.passed =
      real ? !comparison.has_nan && comparison.relative_l2 <= relative_l2_limit : equal;
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  return strides;
}

}  // namespace tenon
