// SPDX-License-Identifier: Apache-2.0
// The outer format of a plan file: a header, a section table, page-aligned sections.
// docs/plan_format.md describes every byte.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tenon::plan {

inline constexpr char kMagic[8] = {'T', 'E', 'N', 'O', 'N', 'P', 'L', 'N'};
inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kWeightAlignment = 64;
inline constexpr uint32_t kMaximumSections = 64;

enum class SectionKind : uint32_t { meta = 1, code = 2, weights = 3, debug = 4 };

/// The first 64 bytes; little-endian, as everything in a plan.
struct FileHeader {
  char magic[8];
  uint16_t format_major, format_minor;
  uint32_t section_count;
  uint64_t file_bytes;
  uint64_t required_features;  ///< what a reader must know to run this plan: kKnownPlanFeatures
  uint64_t table_checksum;     ///< of the section table
  uint64_t reserved[2];        ///< zero
  uint64_t header_checksum;    ///< of the bytes before it
};
static_assert(sizeof(FileHeader) == 64);

/// One row of the table that follows the header.
struct SectionEntry {
  uint32_t kind;    ///< SectionKind; readers skip kinds that they do not know
  uint32_t target;  ///< number of the target that CODE is for: 0
  uint64_t offset;  ///< from the start of the file, a multiple of kPageBytes
  uint64_t bytes;
  uint64_t checksum;  ///< of the section's bytes
};
static_assert(sizeof(SectionEntry) == 32);

constexpr uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The sections of a plan, as parts of the file's bytes.
struct Sections {
  std::span<const std::byte> meta, code, weights, debug;
};

/// Checks header, table, padding and the checksums of all sections, WEIGHTS only when asked, and
/// finds the sections. An error names what is wrong, without the file's name.
Result<Sections> read_container(std::span<const std::byte> file, bool verify_weights);

}  // namespace tenon::plan
