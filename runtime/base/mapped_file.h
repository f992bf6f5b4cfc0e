// SPDX-License-Identifier: Apache-2.0
// A file's bytes in memory, read-only and page-aligned.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <span>
#include <string>

namespace tenon {

class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// Maps a regular file. Pages are read when they are first used; the file must not be cut
  /// meanwhile (replacing it by rename is fine).
  static Result<MappedFile> open(const std::string& path);
  /// Copies `bytes` into memory of the same alignment.
  static Result<MappedFile> copy_of(std::span<const std::byte> bytes);

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Tells the system that this part will be used soon, all of it.
  void expect_use(std::span<const std::byte> part) const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tenon
