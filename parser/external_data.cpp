// SPDX-License-Identifier: Apache-2.0
#include "parser/external_data.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tenon::parser {
namespace {

namespace fs = std::filesystem;

Status invalid(std::string message) { return Status(ErrorCode::invalid_model, std::move(message)); }

/// A number of 0 and up that takes up the whole text.
std::optional<uint64_t> parse_number(const std::string& text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

bool lies_below(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace

ExternalFolder::ExternalFolder(const std::string& model_path) {
  const fs::path path(model_path);
  folder_ = path.has_parent_path() ? path.parent_path() : fs::path(".");
  // Model caches keep links to files that lie together elsewhere, so the folder that the model's
  // link leads to counts as well.
  std::error_code error;
  const fs::path folder = fs::canonical(folder_, error);
  if (!error) roots_.push_back(folder);
  const fs::path target = fs::canonical(path, error);
  if (!error) roots_.push_back(target.parent_path());
}

Result<std::shared_ptr<const MappedFile>> ExternalFolder::open(const std::string& location) {
  if (const auto found = files_.find(location); found != files_.end()) return found->second;
  const fs::path relative(location);
  if (location.empty()) return invalid("its external data names no file");
  if (location.find('\0') != std::string::npos || relative.is_absolute() ||
      std::find(relative.begin(), relative.end(), "..") != relative.end()) {
    return invalid(fmt::format(
        "its external data file \"{}\" is not in the model's folder; only relative paths "
        "without \"..\" are read",
        location));
  }
  const fs::path path = folder_ / relative;
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) {
    return Status(ErrorCode::io, fmt::format("its external data file {} cannot be opened: {}",
                                             path.string(), error.message()));
  }
  if (std::none_of(roots_.begin(), roots_.end(),
                   [&](const fs::path& root) { return lies_below(target, root); })) {
    return invalid(
        fmt::format("its external data file \"{}\" is a link out of the model's folder", location));
  }
  TENON_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::open(path.string()));
  return files_.emplace(location, std::move(file)).first->second;
}

Result<TensorData> ExternalFolder::read(const tenon_onnx::TensorProto& tensor, int64_t size) {
  if (roots_.empty()) {
    return Status(
        ErrorCode::unsupported,
        "its data is in another file, and a model in memory has no folder; parse it by path");
  }
  std::string location;
  std::optional<uint64_t> offset = 0;
  std::optional<uint64_t> length = static_cast<uint64_t>(size);
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = parse_number(entry.value());
    if (entry.key() == "length") length = parse_number(entry.value());
  }
  if (!offset || !length) return invalid("the offset or length of its external data is no number");
  if (*length != static_cast<uint64_t>(size)) {
    return invalid(fmt::format("its external data has {} bytes, and its type and dims need {}",
                               *length, size));
  }
  if (size == 0) return TensorData{};
  TENON_ASSIGN(std::shared_ptr<const MappedFile> file, open(location));
  const uint64_t file_size = file->bytes().size();
  if (*offset > file_size || *length > file_size - *offset) {
    return invalid(
        fmt::format("its external data, {} bytes at offset {}, passes the end of \"{}\" "
                    "({} bytes)",
                    *length, *offset, location, file_size));
  }
  TensorData data;
  data.bytes = file->bytes().subspan(*offset, *length);
  data.owner = file;
  return data;
}

}  // namespace tenon::parser
