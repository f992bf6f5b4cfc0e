// SPDX-License-Identifier: Apache-2.0
// Makes and reads dense tensors of every element type.
#pragma once

#include <tenon/network.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::ir {

/// A tensor that owns its bytes.
TensorData make_tensor(DataType type, std::vector<int64_t> dims, std::vector<std::byte> bytes);
TensorData scalar_f32(float value);
/// One axis.
TensorData make_i64(const std::vector<int64_t>& values);

/// How many elements the dims say; nothing when that overflows or a dim is negative.
std::optional<int64_t> element_count(const std::vector<int64_t>& dims);
/// 32 hexadecimal digits of the XXH3-128 of the bytes; type and dims do not count.
std::string content_hash(const TensorData& data);

/// Elements in memory order, exact where the result can be; zero beyond the end. Floats become
/// integers toward zero, saturating, NaN as 0; u64 wraps.
double element_as_double(const TensorData& data, int64_t index);
int64_t element_as_integer(const TensorData& data, int64_t index);

/// The bits of an element, in the low bits.
uint64_t element_bits(const TensorData& data, int64_t index);
void set_element_bits(std::span<std::byte> bytes, DataType type, int64_t index, uint64_t bits);

/// The element as a decimal that brings the same bits back, else as "0x" and its bits.
std::string element_to_string(DataType type, uint64_t bits);
/// The bits of a number in either form; nothing when it is none or does not fit the type.
std::optional<uint64_t> parse_element(DataType type, std::string_view text);

}  // namespace tenon::ir
