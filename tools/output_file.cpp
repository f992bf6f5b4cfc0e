// SPDX-License-Identifier: Apache-2.0
#include "tools/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tenon::tools {
namespace {

Status failure(const std::string& path, int error) {
  return Status(ErrorCode::io, fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

/// 0, or the error number.
int write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

Status write_file(const std::string& path,
                  std::initializer_list<std::span<const std::byte>> parts) {
  const std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return failure(path, errno);
  int error = 0;
  for (std::span<const std::byte> part : parts) {
    if (error == 0) error = write_all(file, part);
  }
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return failure(path, error);
}

Status write_file(const std::string& path, std::string_view text) {
  return write_file(path, {std::as_bytes(std::span<const char>(text.data(), text.size()))});
}

}  // namespace tenon::tools
