// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/container.h"

#include "runtime/base/hash.h"
#include "runtime/base/version.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tenon::plan {
namespace {

Status corrupt(const std::string& what) { return {ErrorCode::corrupt_plan, what}; }

std::string version_text(unsigned major, unsigned minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

const char* section_name(uint32_t kind) {
  switch (static_cast<SectionKind>(kind)) {
    case SectionKind::meta:
      return "META";
    case SectionKind::code:
      return "CODE";
    case SectionKind::weights:
      return "WEIGHTS";
    case SectionKind::debug:
      return "DEBUG";
  }
  return "unknown";
}

Status check_header(const FileHeader& header, std::span<const std::byte> file) {
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) {
    return corrupt("is not a plan: it does not begin with TENONPLN");
  }
  if (checksum64(file.first(offsetof(FileHeader, header_checksum))) != header.header_checksum) {
    return corrupt("the header is damaged (checksum)");
  }
  const std::string versions = "has plan format " +
                               version_text(header.format_major, header.format_minor) +
                               "; this runtime (Tenon " + std::string(kTenonVersion) +
                               ") reads up to " + version_text(kPlanFormatMajor, kPlanFormatMinor);
  if (header.format_major > kPlanFormatMajor) {
    return {ErrorCode::incompatible, versions + ". Use a newer runtime, or build the plan again."};
  }
  if (header.required_features & ~kKnownPlanFeatures) {
    return {ErrorCode::incompatible,
            versions + " and lacks features that the plan needs. Use a newer runtime."};
  }
  if (header.file_bytes != file.size()) {
    return corrupt("is " + std::to_string(file.size()) + " bytes long but was written with " +
                   std::to_string(header.file_bytes) + "; it is cut or has bytes added");
  }
  if (header.section_count == 0 || header.section_count > kMaximumSections ||
      sizeof(FileHeader) + header.section_count * sizeof(SectionEntry) > file.size()) {
    return corrupt("the section table does not fit");
  }
  return {};
}

Status check_zero(std::span<const std::byte> padding) {
  const bool zero =
      std::all_of(padding.begin(), padding.end(), [](std::byte b) { return b == std::byte{0}; });
  return zero ? Status() : corrupt("the padding between sections is damaged");
}

}  // namespace

Result<Sections> read_container(std::span<const std::byte> file, bool verify_weights) {
  if (file.size() < sizeof(FileHeader)) {
    return corrupt("is not a plan: it has only " + std::to_string(file.size()) + " bytes");
  }
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  TENON_RETURN_IF_ERROR(check_header(header, file));

  const auto table_bytes = file.subspan(sizeof header, header.section_count * sizeof(SectionEntry));
  if (checksum64(table_bytes) != header.table_checksum) {
    return corrupt("the section table is damaged (checksum)");
  }
  std::vector<SectionEntry> table(header.section_count);
  std::memcpy(table.data(), table_bytes.data(), table_bytes.size());

  Sections sections;
  std::span<const std::byte>* const places[] = {nullptr, &sections.meta, &sections.code,
                                                &sections.weights, &sections.debug};
  uint64_t end = sizeof header + table_bytes.size();
  uint32_t seen = 0;
  for (const SectionEntry& entry : table) {
    const std::string name = section_name(entry.kind);
    if (entry.offset % kPageBytes != 0 || entry.offset < end || entry.offset > file.size() ||
        entry.bytes > file.size() - entry.offset) {
      return corrupt("the " + name + " section lies outside the file");
    }
    TENON_RETURN_IF_ERROR(check_zero(file.subspan(end, entry.offset - end)));
    end = entry.offset + entry.bytes;
    const auto bytes = file.subspan(entry.offset, entry.bytes);
    const bool weights = entry.kind == static_cast<uint32_t>(SectionKind::weights);
    if ((!weights || verify_weights) && checksum64(bytes) != entry.checksum) {
      return corrupt("the " + name + " section is damaged (checksum)");
    }
    if (entry.kind == 0 || entry.kind >= std::size(places)) continue;
    if (seen & (1u << entry.kind)) return corrupt("has two " + name + " sections");
    seen |= 1u << entry.kind;
    *places[entry.kind] = bytes;
  }
  TENON_RETURN_IF_ERROR(check_zero(file.subspan(end)));
  if (sections.meta.empty()) return corrupt("has no META section");
  return sections;
}

}  // namespace tenon::plan
