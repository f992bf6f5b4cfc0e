// SPDX-License-Identifier: Apache-2.0
#include "tools/npy.h"

#include "tools/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

namespace tenon::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
  DataType type;
  std::string_view descriptor;
};
constexpr TypeName kTypeNames[] = {
    {DataType::f64, "<f8"}, {DataType::f32, "<f4"}, {DataType::f16, "<f2"},
    {DataType::i64, "<i8"}, {DataType::i32, "<i4"}, {DataType::i16, "<i2"},
    {DataType::i8, "|i1"},  {DataType::u64, "<u8"}, {DataType::u32, "<u4"},
    {DataType::u16, "<u2"}, {DataType::u8, "|u1"},  {DataType::boolean, "|b1"},
};

std::optional<DataType> type_of(std::string_view descriptor) {
  for (const TypeName& entry : kTypeNames) {
    // Byte order means nothing for single bytes: '<', '|' and '=' are the same.
    const bool single = entry.descriptor[0] == '|';
    if (descriptor == entry.descriptor ||
        (single && descriptor.size() == 3 && descriptor.substr(1) == entry.descriptor.substr(1))) {
      return entry.type;
    }
  }
  return std::nullopt;
}

class MappedFile {
 public:
  static Result<std::shared_ptr<MappedFile>> open(const std::string& path) {
    auto file = std::make_shared<MappedFile>();
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat information = {};
    int error = descriptor < 0 || ::fstat(descriptor, &information) != 0 ? errno : 0;
    if (error == 0 && !S_ISREG(information.st_mode))
      error = S_ISDIR(information.st_mode) ? EISDIR : EINVAL;
    if (error == 0 && information.st_size > 0) {
      file->size_ = static_cast<size_t>(information.st_size);
      file->data_ = ::mmap(nullptr, file->size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (file->data_ == MAP_FAILED) error = errno;
    }
    if (descriptor >= 0) ::close(descriptor);
    if (error != 0) {
      return Status(ErrorCode::io, fmt::format("cannot read {}: {}", path, std::strerror(error)));
    }
    return file;
  }
  ~MappedFile() {
    if (data_ != MAP_FAILED && data_ != nullptr) ::munmap(data_, size_);
  }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

/// Text behind `'key':` in the header's Python dictionary, or nothing.
std::optional<std::string_view> field(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const size_t at = header.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::optional<std::vector<int64_t>> parse_tuple(std::string_view text) {
  std::vector<int64_t> dims;
  if (text.empty() || text[0] != '(') return std::nullopt;
  text.remove_prefix(1);
  while (!text.empty()) {
    if (text[0] == ')') return dims;
    if (text[0] == ' ' || text[0] == ',') {
      text.remove_prefix(1);
      continue;
    }
    int64_t dim = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc() || dim < 0) return std::nullopt;
    dims.push_back(dim);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  return std::nullopt;
}

Status bad_file(const std::string& path, const std::string& reason) {
  return Status(ErrorCode::bad_argument, fmt::format("{}: {}", path, reason));
}

Result<TensorData> parse(const std::string& path, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() < 10 || text.substr(0, kMagic.size()) != kMagic) {
    return bad_file(path, "is no .npy file");
  }
  const auto byte_at = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(text[i])); };
  const size_t version = byte_at(6);
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3) {
    return bad_file(path, fmt::format("has .npy version {}; 1 to 3 are read", version));
  }
  if (text.size() < 8 + length_bytes) return bad_file(path, "ends inside its header");
  size_t header_size = 0;
  for (size_t i = 0; i < length_bytes; ++i) header_size |= byte_at(8 + i) << (8 * i);
  const size_t start = 8 + length_bytes;
  if (header_size > text.size() - start) return bad_file(path, "ends inside its header");
  const std::string_view header = text.substr(start, header_size);

  const auto descriptor = field(header, "descr");
  const auto order = field(header, "fortran_order");
  const auto shape = field(header, "shape");
  if (!descriptor || !order || !shape)
    return bad_file(path, "has a header without descr, fortran_order and shape");
  const std::string_view type_text = descriptor->substr(0, descriptor->find_first_of(",}"));
  const std::string_view type_name =
      type_text.size() > 2 ? type_text.substr(1, type_text.find_last_of('\'') - 1) : type_text;
  const std::optional<DataType> type = type_of(type_name);
  if (!type) {
    return bad_file(
        path, fmt::format("holds elements of type {}; Tenon reads little-endian numbers and bool. "
                          "Convert with array.astype(\"<f4\")",
                          type_text));
  }
  if (order->substr(0, 4) == "True") {
    return bad_file(path, "is in Fortran order; save numpy.ascontiguousarray(array)");
  }
  const auto dims = parse_tuple(*shape);
  if (!dims) return bad_file(path, "has a shape that is no tuple of sizes");
  int64_t count = 1;
  for (int64_t dim : *dims) {
    if (__builtin_mul_overflow(count, dim, &count))
      return bad_file(path, "has a shape too large for any file");
  }
  const std::span<const std::byte> data = bytes.subspan(start + header_size);
  if (count > std::numeric_limits<int64_t>::max() / 8 ||
      static_cast<uint64_t>(byte_size(*type, count)) != data.size()) {
    return bad_file(path,
                    fmt::format("has {} bytes of elements; its shape {} of {} needs another number",
                                data.size(), shape->substr(0, shape->find(')') + 1), type_name));
  }
  return TensorData{*type, *dims, data, nullptr};
}

}  // namespace

Result<TensorData> read_npy(const std::string& path) {
  TENON_ASSIGN(std::shared_ptr<MappedFile> file, MappedFile::open(path));
  TENON_ASSIGN(TensorData tensor, parse(path, file->bytes()));
  const auto misaligned = reinterpret_cast<uintptr_t>(tensor.bytes.data()) %
                          static_cast<uintptr_t>(std::max(1, bit_width(tensor.type) / 8));
  if (misaligned == 0) {
    tensor.owner = file;
    return tensor;
  }
  // A header written by hand need not end at a multiple of the element.
  auto copy = std::make_shared<std::vector<std::byte>>(tensor.bytes.begin(), tensor.bytes.end());
  tensor.bytes = *copy;
  tensor.owner = copy;
  return tensor;
}

Status write_npy(const std::string& path, const TensorData& tensor) {
  for (const TypeName& entry : kTypeNames) {
    if (entry.type != tensor.type) continue;
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                     entry.descriptor, fmt::join(tensor.dims, ", "),
                                     tensor.dims.size() == 1 ? "," : "");
    constexpr size_t kPrefix = 10;
    header.append(63 - (kPrefix + header.size()) % 64, ' ');
    header += '\n';
    std::string prefix(kMagic);
    prefix += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
               static_cast<char>(header.size() >> 8)};
    const std::string start = prefix + header;
    return write_file(path, {std::as_bytes(std::span<const char>(start)), tensor.bytes});
  }
  return Status(ErrorCode::unsupported, fmt::format("not supported yet: {} in .npy files ({})",
                                                    to_string(tensor.type), path));
}

}  // namespace tenon::tools
