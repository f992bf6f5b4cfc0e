// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tenon::parser {

/// A file mapped read-only for as long as somebody holds it. Pages are read when they are touched.
class MappedFile {
 public:
  /// Regular files only: a pipe or a device would block or never end.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

}  // namespace tenon::parser
