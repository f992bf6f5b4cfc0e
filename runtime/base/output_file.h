// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name only when it is complete.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tenon {

class OutputFile {
 public:
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  /// Removes what was written, unless commit() succeeded.
  ~OutputFile();

  /// Begins a file beside `path`, in the same folder. An existing file keeps its content until
  /// commit().
  static Result<OutputFile> create(const std::string& path);

  Status write_at(uint64_t position, std::span<const std::byte> bytes);
  /// Brings the bytes to the disk and the file under its name.
  Status commit();

 private:
  OutputFile(std::string path, std::string temporary, int file);
  Status failed(const char* what) const;

  std::string path_, temporary_;
  int file_ = -1;
};

}  // namespace tenon
