// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/constant.h"

#include "builder/ir/checked.h"
#include "runtime/base/half.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace tenon::ir {
namespace {

uint64_t low_bits(int count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

int64_t sign_extend(uint64_t bits, int width) {
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

double decode(DataType type, uint64_t bits) {
  const auto byte = static_cast<uint8_t>(bits);
  switch (type) {
    case DataType::f64:
      return std::bit_cast<double>(bits);
    case DataType::f32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case DataType::f16:
      return runtime::half_to_float(static_cast<uint16_t>(bits));
    case DataType::bf16:
      return runtime::bfloat16_to_float(static_cast<uint16_t>(bits));
    case DataType::f8e4m3:
      return runtime::f8e4m3_to_float(byte);
    case DataType::f8e5m2:
      return runtime::f8e5m2_to_float(byte);
    case DataType::f8e4m3fnuz:
      return runtime::f8e4m3fnuz_to_float(byte);
    case DataType::f8e5m2fnuz:
      return runtime::f8e5m2fnuz_to_float(byte);
    case DataType::f8e8m0:
      return runtime::f8e8m0_to_float(byte);
    case DataType::f4e2m1:
      return runtime::f4e2m1_to_float(byte);
    default:
      return is_signed_integer(type) ? static_cast<double>(sign_extend(bits, bit_width(type)))
                                     : static_cast<double>(bits);
  }
}

template <typename T>
std::string number_to_string(T value) {
  char buffer[64];
  const auto [end, problem] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end);
}

template <typename T>
std::optional<T> parse_number(std::string_view text, int base = 10) {
  T value{};
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<T>) {
    result = std::from_chars(text.data(), text.data() + text.size(), value);
  } else {
    result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  }
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The code of a float of at most eight bits with exactly this value.
std::optional<uint64_t> find_code(DataType type, double value) {
  for (uint64_t code = 0; code <= low_bits(bit_width(type)); ++code) {
    const double candidate = decode(type, code);
    const bool both_nan = std::isnan(value) && std::isnan(candidate);
    if (both_nan || std::bit_cast<uint64_t>(candidate) == std::bit_cast<uint64_t>(value)) {
      return code;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> parse_float(DataType type, std::string_view text) {
  if (type == DataType::f64) {
    const std::optional<double> value = parse_number<double>(text);
    return value ? std::optional(std::bit_cast<uint64_t>(*value)) : std::nullopt;
  }
  const std::optional<float> value = parse_number<float>(text);
  if (!value) return std::nullopt;
  switch (type) {
    case DataType::f32:
      return std::bit_cast<uint32_t>(*value);
    case DataType::f16:
      return runtime::float_to_half(*value);
    case DataType::bf16:
      return runtime::float_to_bfloat16(*value);
    default:
      return find_code(type, *value);
  }
}

}  // namespace

TensorData make_tensor(DataType type, std::vector<int64_t> dims, std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  TensorData data;
  data.type = type;
  data.dims = std::move(dims);
  data.bytes = *owner;
  data.owner = std::move(owner);
  return data;
}

TensorData scalar_f32(float value) {
  std::vector<std::byte> bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return make_tensor(DataType::f32, {}, std::move(bytes));
}

TensorData make_i64(const std::vector<int64_t>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(int64_t));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return make_tensor(DataType::i64, {static_cast<int64_t>(values.size())}, std::move(bytes));
}

std::optional<int64_t> element_count(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (int64_t dim : dims) {
    const std::optional<int64_t> next = checked_multiply(count, dim);
    if (dim < 0 || !next) return std::nullopt;
    count = *next;
  }
  return count;
}

std::string content_hash(const TensorData& data) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(data.bytes.data(), data.bytes.size()));
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : canonical.digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

uint64_t element_bits(const TensorData& data, int64_t index) {
  const int width = bit_width(data.type);
  const auto size = static_cast<int64_t>(data.bytes.size());
  if (index < 0 || index >= size * 8 / width) return 0;
  if (width < 8) {
    const int64_t bit = index * width;
    const auto byte = std::to_integer<uint64_t>(data.bytes[bit / 8]);
    return (byte >> (bit % 8)) & low_bits(width);
  }
  uint64_t bits = 0;
  std::memcpy(&bits, data.bytes.data() + index * (width / 8), width / 8);
  return bits;
}

void set_element_bits(std::span<std::byte> bytes, DataType type, int64_t index, uint64_t bits) {
  const int width = bit_width(type);
  if (width < 8) {
    const int64_t bit = index * width;
    const int shift = static_cast<int>(bit % 8);
    const auto mask = static_cast<std::byte>(low_bits(width) << shift);
    std::byte& byte = bytes[bit / 8];
    byte = (byte & ~mask) | (static_cast<std::byte>(bits << shift) & mask);
    return;
  }
  std::memcpy(bytes.data() + index * (width / 8), &bits, width / 8);
}

double element_as_double(const TensorData& data, int64_t index) {
  return decode(data.type, element_bits(data, index));
}

int64_t element_as_integer(const TensorData& data, int64_t index) {
  const uint64_t bits = element_bits(data, index);
  if (is_signed_integer(data.type)) return sign_extend(bits, bit_width(data.type));
  if (!is_float(data.type)) return static_cast<int64_t>(bits);
  const double value = decode(data.type, bits);
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return kInt64Max;
  if (value < -0x1p63) return kInt64Min;
  return static_cast<int64_t>(value);
}

std::string element_to_string(DataType type, uint64_t bits) {
  if (is_signed_integer(type)) return std::to_string(sign_extend(bits, bit_width(type)));
  if (!is_float(type)) return std::to_string(bits);
  const double value = decode(type, bits);
  std::string text =
      type == DataType::f64 ? number_to_string(value) : number_to_string(static_cast<float>(value));
  if (std::isnan(value)) text = "nan";
  if (parse_element(type, text) == bits) return text;
  char buffer[32] = "0x";
  const auto [end, problem] = std::to_chars(buffer + 2, buffer + sizeof(buffer), bits, 16);
  return std::string(buffer, end);
}

std::optional<uint64_t> parse_element(DataType type, std::string_view text) {
  const int width = bit_width(type);
  if (text.starts_with("0x")) {
    const std::optional<uint64_t> bits = parse_number<uint64_t>(text.substr(2), 16);
    return bits && *bits <= low_bits(width) ? bits : std::nullopt;
  }
  if (is_float(type)) return parse_float(type, text);
  if (is_signed_integer(type)) {
    const std::optional<int64_t> value = parse_number<int64_t>(text);
    if (!value) return std::nullopt;
    const uint64_t bits = static_cast<uint64_t>(*value) & low_bits(width);
    return sign_extend(bits, width) == *value ? std::optional(bits) : std::nullopt;
  }
  const std::optional<uint64_t> value = parse_number<uint64_t>(text);
  return value && *value <= low_bits(width) ? value : std::nullopt;
}

}  // namespace tenon::ir
