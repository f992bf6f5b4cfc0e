// SPDX-License-Identifier: Apache-2.0
#include "tools/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::tools {
namespace {

template <typename T>
T load(const TensorData& tensor, int64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

double from_half(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else {
    magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double from_bfloat16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

}  // namespace

double element(const TensorData& tensor, int64_t index) {
  switch (tensor.type) {
    case DataType::f64:
      return load<double>(tensor, index);
    case DataType::f32:
      return load<float>(tensor, index);
    case DataType::f16:
      return from_half(load<uint16_t>(tensor, index));
    case DataType::bf16:
      return from_bfloat16(load<uint16_t>(tensor, index));
    case DataType::i64:
      return static_cast<double>(load<int64_t>(tensor, index));
    case DataType::u64:
      return static_cast<double>(load<uint64_t>(tensor, index));
    case DataType::i32:
      return load<int32_t>(tensor, index);
    case DataType::u32:
      return load<uint32_t>(tensor, index);
    case DataType::i16:
      return load<int16_t>(tensor, index);
    case DataType::u16:
      return load<uint16_t>(tensor, index);
    case DataType::i8:
      return load<int8_t>(tensor, index);
    case DataType::u8:
    case DataType::boolean:
      return load<uint8_t>(tensor, index);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

std::string element_text(const TensorData& tensor, int64_t index) {
  switch (tensor.type) {
    case DataType::i64:
      return fmt::format("{}", load<int64_t>(tensor, index));
    case DataType::u64:
      return fmt::format("{}", load<uint64_t>(tensor, index));
    case DataType::boolean:
      return load<uint8_t>(tensor, index) != 0 ? "true" : "false";
    default:
      return fmt::format("{:.6g}", element(tensor, index));
  }
}

TensorSummary summarize(const TensorData& tensor) {
  TensorSummary summary;
  summary.count = element_count(tensor.dims);
  double sum = 0;
  for (int64_t i = 0; i < summary.count; ++i) {
    const double value = element(tensor, i);
    if (std::isnan(value)) {
      ++summary.nan_count;
      continue;
    }
    const bool first = i == summary.nan_count;
    summary.minimum = first ? value : std::min(summary.minimum, value);
    summary.maximum = first ? value : std::max(summary.maximum, value);
    sum += value;
  }
  if (summary.count > summary.nan_count) {
    summary.mean = sum / static_cast<double>(summary.count - summary.nan_count);
  }
  return summary;
}

int64_t element_count(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

}  // namespace tenon::tools
