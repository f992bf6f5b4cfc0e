// SPDX-License-Identifier: Apache-2.0
#include "parser/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tenon::parser {
namespace {

Status io_error(const std::string& path, const std::string& what) {
  return Status(ErrorCode::io, path + ": " + what);
}

/// Closes a descriptor at the end of a scope; a mapping does not need it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  // O_NONBLOCK: opening a named pipe returns at once, and the check below refuses it.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    return io_error(path, std::string("cannot be opened: ") + std::strerror(errno));
  struct stat facts = {};
  if (::fstat(file.number, &facts) != 0) return io_error(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) return io_error(path, "is a folder, not a file");
  if (!S_ISREG(facts.st_mode)) return io_error(path, "is not a regular file");
  const size_t size = static_cast<size_t>(facts.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED) {
    return io_error(path, std::string("cannot be mapped: ") + std::strerror(errno));
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace tenon::parser
