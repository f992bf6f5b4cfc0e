// SPDX-License-Identifier: Apache-2.0
// The reference's form of tensors: to and from stored bytes, and rounding to element types.
#include "builder/ops/reference_tensor.h"
#include "builder/ops/op.h"
#include "runtime/base/half.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tenon::ops {
namespace {

template <typename T>
T read(const std::byte* bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void write(std::byte* bytes, int64_t index, T value) {
  std::memcpy(bytes + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

/// Element `index` of packed elements of 4 or 2 bits.
uint8_t read_bits(const std::byte* bytes, int64_t index, int width) {
  const int per_byte = 8 / width;
  const auto byte = static_cast<uint8_t>(bytes[index / per_byte]);
  return static_cast<uint8_t>((byte >> (index % per_byte * width)) & ((1 << width) - 1));
}

void write_bits(std::byte* bytes, int64_t index, int width, uint64_t value) {
  const int per_byte = 8 / width;
  const auto mask = static_cast<uint8_t>((1 << width) - 1);
  const auto shift = static_cast<int>(index % per_byte * width);
  auto byte = static_cast<uint8_t>(bytes[index / per_byte]);
  byte = static_cast<uint8_t>((byte & ~(mask << shift)) | ((value & mask) << shift));
  bytes[index / per_byte] = static_cast<std::byte>(byte);
}

double decode_narrow(DataType type, uint8_t code) {
  switch (type) {
    case DataType::f8e4m3:
      return runtime::f8e4m3_to_float(code);
    case DataType::f8e5m2:
      return runtime::f8e5m2_to_float(code);
    case DataType::f8e4m3fnuz:
      return runtime::f8e4m3fnuz_to_float(code);
    case DataType::f8e5m2fnuz:
      return runtime::f8e5m2fnuz_to_float(code);
    case DataType::f8e8m0:
      return runtime::f8e8m0_to_float(code);
    default:
      return runtime::f4e2m1_to_float(code);
  }
}

/// The code of a value that the type can represent: types of 8 bits are only moved, never computed.
uint8_t encode_narrow(DataType type, double value) {
  const int codes = 1 << bit_width(type);
  for (int code = 0; code < codes; ++code) {
    const double decoded = decode_narrow(type, static_cast<uint8_t>(code));
    const bool same = std::isnan(value)
                          ? std::isnan(decoded)
                          : decoded == value && std::signbit(decoded) == std::signbit(value);
    if (same) return static_cast<uint8_t>(code);
  }
  return 0;
}

double read_real(DataType type, const std::byte* bytes, int64_t index) {
  using namespace runtime;
  switch (type) {
    case DataType::f64:
      return read<double>(bytes, index);
    case DataType::f32:
      return read<float>(bytes, index);
    case DataType::f16:
      return half_to_float(read<uint16_t>(bytes, index));
    case DataType::bf16:
      return bfloat16_to_float(read<uint16_t>(bytes, index));
    case DataType::f4e2m1:
      return decode_narrow(type, read_bits(bytes, index, 4));
    default:
      return decode_narrow(type, read<uint8_t>(bytes, index));
  }
}

void write_real(DataType type, std::byte* bytes, int64_t index, double value) {
  using namespace runtime;
  switch (type) {
    case DataType::f64:
      write(bytes, index, value);
      break;
    case DataType::f32:
      write(bytes, index, static_cast<float>(value));
      break;
    // Values are already rounded to their type, so that going through float rounds nothing twice.
    case DataType::f16:
      write(bytes, index, float_to_half(static_cast<float>(value)));
      break;
    case DataType::bf16:
      write(bytes, index, float_to_bfloat16(static_cast<float>(value)));
      break;
    case DataType::f4e2m1:
      write_bits(bytes, index, 4, encode_narrow(type, value));
      break;
    default:
      write(bytes, index, encode_narrow(type, value));
      break;
  }
}

int64_t read_integer(DataType type, const std::byte* bytes, int64_t index) {
  switch (bit_width(type)) {
    case 64:
      return read<int64_t>(bytes, index);
    case 32:
      return wrap_to_type(type, read<int32_t>(bytes, index));
    case 16:
      return wrap_to_type(type, read<int16_t>(bytes, index));
    case 8:
      return wrap_to_type(type, read<int8_t>(bytes, index));
    default:
      return wrap_to_type(type, read_bits(bytes, index, bit_width(type)));
  }
}

void write_integer(DataType type, std::byte* bytes, int64_t index, int64_t value) {
  switch (bit_width(type)) {
    case 64:
      write(bytes, index, value);
      break;
    case 32:
      write(bytes, index, static_cast<uint32_t>(value));
      break;
    case 16:
      write(bytes, index, static_cast<uint16_t>(value));
      break;
    case 8:
      write(bytes, index, static_cast<uint8_t>(value));
      break;
    default:
      write_bits(bytes, index, bit_width(type), static_cast<uint64_t>(value));
      break;
  }
}

/// Rounds to `digits` binary digits, ties to even; below the smallest normal number to multiples of
/// 2^`smallest`.
double round_to_digits(double value, int digits, int smallest, double largest) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int quantum = std::max(exponent - digits, smallest);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  if (std::fabs(rounded) > largest) return std::copysign(INFINITY, value);
  return std::copysign(rounded, value);
}

}  // namespace

int64_t ReferenceTensor::count() const {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

double round_to_type(DataType type, double value) {
  switch (type) {
    case DataType::f32:
      return static_cast<float>(value);
    case DataType::f16:
      return round_to_digits(value, 11, -24, 65504.0);
    case DataType::bf16:
      return round_to_digits(value, 8, -133, 0x1.fep127);
    default:
      return value;
  }
}

int64_t wrap_to_type(DataType type, int64_t value) {
  if (type == DataType::boolean) return value != 0;
  const int shift = 64 - bit_width(type);
  const uint64_t top = static_cast<uint64_t>(value) << shift;
  if (is_signed_integer(type)) return static_cast<int64_t>(top) >> shift;
  return static_cast<int64_t>(top >> shift);
}

ReferenceTensor to_reference(const TensorData& data) {
  ReferenceTensor tensor;
  tensor.type = data.type;
  tensor.dims = data.dims;
  const auto count = static_cast<size_t>(tensor.count());
  const std::byte* bytes = data.bytes.data();
  if (is_float(data.type)) {
    tensor.reals.resize(count);
    for (size_t i = 0; i < count; ++i) tensor.reals[i] = read_real(data.type, bytes, i);
  } else {
    tensor.integers.resize(count);
    for (size_t i = 0; i < count; ++i) tensor.integers[i] = read_integer(data.type, bytes, i);
  }
  return tensor;
}

TensorData to_tensor_data(const ReferenceTensor& tensor) {
  const int64_t count = tensor.count();
  auto bytes = std::make_shared<std::vector<std::byte>>(byte_size(tensor.type, count));
  for (int64_t i = 0; i < count; ++i) {
    if (is_float(tensor.type)) {
      write_real(tensor.type, bytes->data(), i, tensor.reals[i]);
    } else {
      write_integer(tensor.type, bytes->data(), i, tensor.integers[i]);
    }
  }
  return TensorData{tensor.type, tensor.dims, *bytes, bytes};
}

Status run_reference(const ir::Node& node, const Operands& operands, const Results& results) {
  const OpDefinition* definition = find(node.op());
  if (!definition || !definition->reference) {
    return Status(ErrorCode::internal, fmt::format("operator {} has no reference", node.op()));
  }
  for (ReferenceTensor* result : results) {
    const auto count = static_cast<size_t>(result->count());
    result->reals.resize(is_float(result->type) ? count : 0);
    result->integers.resize(is_float(result->type) ? 0 : count);
  }
  TENON_RETURN_IF_ERROR(definition->reference(view(node), operands, results));
  for (ReferenceTensor* result : results) {
    if (result->type != DataType::f64) {
      for (double& value : result->reals) value = round_to_type(result->type, value);
    }
    if (result->type != DataType::i64 && result->type != DataType::u64) {
      for (int64_t& value : result->integers) value = wrap_to_type(result->type, value);
    }
  }
  return {};
}

}  // namespace tenon::ops
