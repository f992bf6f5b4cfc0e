// SPDX-License-Identifier: Apache-2.0
// Element types of tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon {

/// Values are stable: they are written into plans.
enum class DataType : uint8_t {
  f64 = 0, f32 = 1, f16 = 2, bf16 = 3,
  f8e4m3 = 4, f8e5m2 = 5, f8e4m3fnuz = 6, f8e5m2fnuz = 7, f8e8m0 = 8, f4e2m1 = 9,
  i64 = 10, i32 = 11, i16 = 12, i8 = 13, i4 = 14, i2 = 15,
  u64 = 16, u32 = 17, u16 = 18, u8 = 19, u4 = 20, u2 = 21,
  boolean = 22,  ///< one byte, 0 or 1
};
inline constexpr int kDataTypeCount = 23;

/// Bits of one element in memory; sub-byte elements are packed, first element in the low bits.
constexpr int bit_width(DataType type) {
  constexpr int bits[kDataTypeCount] = {64, 32, 16, 16, 8,  8,  8, 8, 8, 4, 64, 32,
                                        16, 8,  4,  2,  64, 32, 16, 8, 4, 2, 8};
  return bits[static_cast<int>(type)];
}
constexpr bool is_float(DataType type) { return type <= DataType::f4e2m1; }
constexpr bool is_signed_integer(DataType type) {
  return type >= DataType::i64 && type <= DataType::i2;
}
constexpr bool is_unsigned_integer(DataType type) {
  return type >= DataType::u64 && type <= DataType::u2;
}
constexpr bool is_integer(DataType type) {
  return is_signed_integer(type) || is_unsigned_integer(type);
}
/// Bytes of `count` packed elements.
constexpr int64_t byte_size(DataType type, int64_t count) {
  return (count * bit_width(type) + 7) / 8;
}

/// "f32", "i64", "bool", ... as in the text form of graphs.
constexpr std::string_view to_string(DataType type) {
  constexpr std::string_view names[kDataTypeCount] = {
      "f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz",
      "f8e8m0", "f4e2m1", "i64", "i32", "i16", "i8", "i4", "i2",
      "u64", "u32", "u16", "u8", "u4", "u2", "bool"};
  return names[static_cast<int>(type)];
}
/// The type of this name, or nothing.
constexpr std::optional<DataType> data_type_from_string(std::string_view name) {
  for (int i = 0; i < kDataTypeCount; ++i) {
    if (to_string(static_cast<DataType>(i)) == name) return static_cast<DataType>(i);
  }
  return std::nullopt;
}

}  // namespace tenon
