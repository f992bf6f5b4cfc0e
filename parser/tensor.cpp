// SPDX-License-Identifier: Apache-2.0
#include "parser/tensor.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tenon::parser {
namespace {

using tenon_onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian, and mapped");

/// Numbers of the fields that hold elements.
enum Field : int {
  kFloatData = 4,
  kInt32Data = 5,
  kInt64Data = 7,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
};

Status invalid(std::string message) { return Status(ErrorCode::invalid_model, std::move(message)); }

/// The field that holds elements of `type` when they are not raw.
Field typed_field(DataType type) {
  switch (type) {
    case DataType::f32:
      return kFloatData;
    case DataType::f64:
      return kDoubleData;
    case DataType::i64:
      return kInt64Data;
    case DataType::u64:
    case DataType::u32:
      return kUint64Data;
    default:
      return kInt32Data;
  }
}

/// Not base-128 numbers.
bool is_fixed_width(Field field) { return field == kFloatData || field == kDoubleData; }

bool has_unpacked_elements(const TensorProto& tensor) {
  return tensor.float_data_size() || tensor.int32_data_size() || tensor.int64_data_size() ||
         tensor.double_data_size() || tensor.uint64_data_size() || tensor.has_raw_data();
}

TensorData owned(std::vector<std::byte> bytes) {
  TensorData data;
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  data.bytes = *owner;
  data.owner = std::move(owner);
  return data;
}

/// Appends the low `size` bytes of a number.
void append(std::vector<std::byte>& out, uint64_t value, size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + size);
}

/// Elements written one by one, as old writers do.
template <typename Values>
void append_all(std::vector<std::byte>& out, const Values& values, size_t size) {
  for (const auto value : values) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    append(out, bits, size);
  }
}

/// Decodes the packed or unpacked elements of one typed field into `size` bytes each.
Result<std::vector<std::byte>> decode_typed(const ModelFile& file, const TensorProto& tensor,
                                            const std::vector<Payload>& payloads, Field field,
                                            size_t size) {
  std::vector<std::byte> out;
  for (const Payload& payload : payloads) {
    if (payload.field != field) return invalid("its elements are not in the field of its type");
    const auto bytes = file.bytes.subspan(payload.offset, payload.length);
    if (is_fixed_width(field)) {
      out.insert(out.end(), bytes.begin(), bytes.end());
      continue;
    }
    for (uint64_t position = 0; position < bytes.size();) {
      uint64_t value = 0;
      if (!read_varint(bytes, position, value)) return invalid("its elements are cut off");
      append(out, value, size);
    }
  }
  if (!has_unpacked_elements(tensor)) return out;
  if (!payloads.empty()) return invalid("its elements are packed in part only");
  switch (field) {
    case kFloatData:
      append_all(out, tensor.float_data(), size);
      break;
    case kDoubleData:
      append_all(out, tensor.double_data(), size);
      break;
    case kInt64Data:
      append_all(out, tensor.int64_data(), size);
      break;
    case kUint64Data:
      append_all(out, tensor.uint64_data(), size);
      break;
    default:
      append_all(out, tensor.int32_data(), size);
      break;
  }
  return out;
}

/// The elements as they lie in the model, in whatever place.
Result<TensorData> find_bytes(ModelFile& file, const TensorProto& tensor, DataType type,
                              int64_t size) {
  if (tensor.data_location() == TensorProto::EXTERNAL) return file.external.read(tensor, size);
  std::vector<Payload> payloads;
  for (const uint64_t number : tensor.GetRepeatedExtension(tenon_onnx::payload)) {
    if (number >= file.payloads.size()) return invalid("its elements are lost");
    payloads.push_back(file.payloads[number]);
  }
  // Writers of empty tensors leave an empty field of either kind behind.
  std::erase_if(payloads, [](const Payload& payload) { return payload.length == 0; });
  const bool has_raw = std::any_of(payloads.begin(), payloads.end(), [](const Payload& payload) {
    return payload.field == kRawData;
  });
  const Field field = typed_field(type);
  if (has_raw && (payloads.size() > 1 || has_unpacked_elements(tensor))) {
    return invalid("it has raw_data and other elements as well");
  }
  // Packed floats are the same bytes as raw ones.
  const bool is_packed_float = payloads.size() == 1 && payloads[0].field == field &&
                               is_fixed_width(field) && !has_unpacked_elements(tensor);
  if (has_raw || is_packed_float) {
    TensorData data;
    data.bytes = file.bytes.subspan(payloads[0].offset, payloads[0].length);
    data.owner = file.owner;
    return data;
  }
  const size_t element = std::max(1, bit_width(type) / 8);
  TENON_ASSIGN(std::vector<std::byte> bytes, decode_typed(file, tensor, payloads, field, element));
  if (bytes.empty() && size != 0) return invalid("it has no elements");
  return owned(std::move(bytes));
}

bool is_aligned(const TensorData& data, DataType type) {
  const size_t element = std::max(1, bit_width(type) / 8);
  return reinterpret_cast<uintptr_t>(data.bytes.data()) % element == 0;
}

bool is_zero_or_one(std::byte byte) { return std::to_integer<int>(byte) <= 1; }

}  // namespace

Result<DataType> element_type(int32_t onnx_type) {
  const auto unsupported = [](const char* what) {
    return Status(ErrorCode::unsupported, fmt::format("not supported yet: {}", what));
  };
  switch (onnx_type) {
    case TensorProto::FLOAT:
      return DataType::f32;
    case TensorProto::DOUBLE:
      return DataType::f64;
    case TensorProto::FLOAT16:
      return DataType::f16;
    case TensorProto::BFLOAT16:
      return DataType::bf16;
    case TensorProto::FLOAT8E4M3FN:
      return DataType::f8e4m3;
    case TensorProto::FLOAT8E4M3FNUZ:
      return DataType::f8e4m3fnuz;
    case TensorProto::FLOAT8E5M2:
      return DataType::f8e5m2;
    case TensorProto::FLOAT8E5M2FNUZ:
      return DataType::f8e5m2fnuz;
    case TensorProto::FLOAT8E8M0:
      return DataType::f8e8m0;
    case TensorProto::FLOAT4E2M1:
      return DataType::f4e2m1;
    case TensorProto::INT64:
      return DataType::i64;
    case TensorProto::INT32:
      return DataType::i32;
    case TensorProto::INT16:
      return DataType::i16;
    case TensorProto::INT8:
      return DataType::i8;
    case TensorProto::INT4:
      return DataType::i4;
    case TensorProto::INT2:
      return DataType::i2;
    case TensorProto::UINT64:
      return DataType::u64;
    case TensorProto::UINT32:
      return DataType::u32;
    case TensorProto::UINT16:
      return DataType::u16;
    case TensorProto::UINT8:
      return DataType::u8;
    case TensorProto::UINT4:
      return DataType::u4;
    case TensorProto::UINT2:
      return DataType::u2;
    case TensorProto::BOOL:
      return DataType::boolean;
    case TensorProto::STRING:
      return unsupported("string tensors");
    case TensorProto::COMPLEX64:
    case TensorProto::COMPLEX128:
      return unsupported("complex tensors");
    case TensorProto::FLOAT6E2M3:
    case TensorProto::FLOAT6E3M2:
      return unsupported("6-bit float tensors");
    case TensorProto::UNDEFINED:
      return invalid("it has no element type");
    default:
      return invalid(fmt::format("{} is no ONNX element type", onnx_type));
  }
}

std::optional<int64_t> checked_element_count(const std::vector<int64_t>& dims) {
  // Leaves room for eight bytes an element in 64 bits.
  constexpr int64_t kMost = int64_t{1} << 56;
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) count = 0;
    if (count > 0 && dim > kMost / count) return std::nullopt;
    count *= dim;
  }
  return count;
}

std::string describe(DataType type, const std::vector<int64_t>& dims) {
  return fmt::format("{}[{}]", to_string(type), fmt::join(dims, ","));
}

Result<TensorData> read_tensor(ModelFile& file, const TensorProto& tensor) {
  TENON_ASSIGN(const DataType type, element_type(tensor.data_type()));
  if (tensor.has_segment()) {
    return Status(ErrorCode::unsupported, "not supported yet: tensors in segments");
  }
  const std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  const std::optional<int64_t> count = checked_element_count(dims);
  if (!count) return invalid("its dims are not possible: " + describe(type, dims));
  const int64_t size = byte_size(type, *count);
  TENON_ASSIGN(TensorData data, find_bytes(file, tensor, type, size));
  if (static_cast<int64_t>(data.bytes.size()) != size) {
    return invalid(fmt::format("{} needs {} bytes of elements and has {}", describe(type, dims),
                               size, data.bytes.size()));
  }
  // Readers load whole elements from their own alignment, which protobuf does not give to bytes
  // within a file, and take a bool for 0 or 1. Only tensors that break this are copied.
  if (!is_aligned(data, type)) data = owned({data.bytes.begin(), data.bytes.end()});
  if (type == DataType::boolean &&
      !std::all_of(data.bytes.begin(), data.bytes.end(), is_zero_or_one)) {
    std::vector<std::byte> bytes(data.bytes.begin(), data.bytes.end());
    for (std::byte& byte : bytes) byte = byte == std::byte{0} ? byte : std::byte{1};
    data = owned(std::move(bytes));
  }
  data.type = type;
  data.dims = dims;
  return data;
}

TensorData tensor_of(const std::vector<int64_t>& values, std::vector<int64_t> dims) {
  std::vector<std::byte> bytes;
  append_all(bytes, values, sizeof(int64_t));
  TensorData data = owned(std::move(bytes));
  data.type = DataType::i64;
  data.dims = std::move(dims);
  return data;
}

TensorData tensor_of(const std::vector<float>& values, std::vector<int64_t> dims) {
  std::vector<std::byte> bytes;
  append_all(bytes, values, sizeof(float));
  TensorData data = owned(std::move(bytes));
  data.type = DataType::f32;
  data.dims = std::move(dims);
  return data;
}

}  // namespace tenon::parser
