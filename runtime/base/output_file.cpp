// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace tenon {

OutputFile::OutputFile(std::string path, std::string temporary, int file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      file_(std::exchange(other.file_, -1)) {}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

Status OutputFile::failed(const char* what) const {
  const int error = errno;
  std::string message = path_ + ": cannot " + what + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) message += ". Free some space, or write elsewhere.";
  return {ErrorCode::io, message};
}

Result<OutputFile> OutputFile::create(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Status(ErrorCode::io,
                  path + (S_ISDIR(info.st_mode) ? ": is a directory; give the name of a file"
                                                : ": is not a regular file"));
  }
  for (int attempt = 0; attempt < 100; ++attempt) {
    const std::string temporary =
        path + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) return OutputFile(path, temporary, file);
    if (errno != EEXIST) break;
  }
  return Status(ErrorCode::io, path + ": cannot create: " + std::strerror(errno));
}

Status OutputFile::write_at(uint64_t position, std::span<const std::byte> bytes) {
  constexpr size_t kLargestWrite = size_t{1} << 30;
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_, bytes.data(), std::min(bytes.size(), kLargestWrite),
                                   static_cast<off_t>(position));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("write");
    position += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

Status OutputFile::commit() {
  if (fsync(file_) != 0) return failed("write");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failed("rename");
  close(std::exchange(file_, -1));
  // The file's name is durable once its folder is; a file system that cannot do this is no error.
  const size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  if (const int directory = open(folder.c_str(), O_RDONLY | O_CLOEXEC); directory >= 0) {
    fsync(directory);
    close(directory);
  }
  return {};
}

}  // namespace tenon
