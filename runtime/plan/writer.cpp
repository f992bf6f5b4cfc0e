// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/writer.h"

#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"
#include "runtime/base/version.h"
#include "runtime/plan/container.h"
#include "runtime/plan/verify.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

namespace tenon::plan {
namespace {

Status internal(const std::string& what) {
  return {ErrorCode::internal, "writing a plan: " + what};
}

std::span<const std::byte> as_bytes(const flatbuffers::FlatBufferBuilder& builder) {
  return {reinterpret_cast<const std::byte*>(builder.GetBufferPointer()), builder.GetSize()};
}

// Where the bytes go. Positions rise, except that the header and table come last.
class Output {
 public:
  virtual ~Output() = default;
  virtual Status write_at(uint64_t position, std::span<const std::byte> bytes) = 0;
};

class MemoryOutput : public Output {
 public:
  Status write_at(uint64_t position, std::span<const std::byte> bytes) override {
    if (bytes_.size() < position + bytes.size()) bytes_.resize(position + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<ptrdiff_t>(position));
    return {};
  }
  void reserve(uint64_t bytes) { bytes_.reserve(bytes); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class FileOutput : public Output {
 public:
  explicit FileOutput(OutputFile& file) : file_(file) {}
  Status write_at(uint64_t position, std::span<const std::byte> bytes) override {
    return file_.write_at(position, bytes);
  }

 private:
  OutputFile& file_;
};

class Writer {
 public:
  Writer(const PlanParts& parts, Output& output) : parts_(parts), output_(output) {}

  Status write() {
    flatbuffers::FlatBufferBuilder meta, debug;
    FinishMetaBuffer(meta, Meta::Pack(meta, parts_.meta));
    position_ = sizeof(FileHeader) + kSections * sizeof(SectionEntry);
    TENON_RETURN_IF_ERROR(section(SectionKind::meta, as_bytes(meta)));
    TENON_RETURN_IF_ERROR(section(SectionKind::code, parts_.code));
    TENON_RETURN_IF_ERROR(weights());
    if (parts_.debug != nullptr) {
      FinishDebugBuffer(debug, Debug::Pack(debug, parts_.debug));
      TENON_RETURN_IF_ERROR(section(SectionKind::debug, as_bytes(debug)));
    }
    return header();
  }

 private:
  // Without debug information its row of the table stays unused, and zero like other padding.
  static constexpr uint64_t kSections = 4;

  Status append(std::span<const std::byte> bytes) {
    checksum_->update(bytes);
    TENON_RETURN_IF_ERROR(output_.write_at(position_, bytes));
    position_ += bytes.size();
    return {};
  }

  Status append_zeros(uint64_t count) {
    static constexpr std::byte kZeros[kPageBytes] = {};
    for (; count > 0; count -= std::min<uint64_t>(count, kPageBytes)) {
      TENON_RETURN_IF_ERROR(append({kZeros, std::min<uint64_t>(count, kPageBytes)}));
    }
    return {};
  }

  Status begin_section() {
    checksum_.emplace();
    TENON_RETURN_IF_ERROR(append_zeros(round_up(position_, kPageBytes) - position_));
    checksum_.emplace();
    section_begin_ = position_;
    return {};
  }

  void end_section(SectionKind kind) {
    table_.push_back({static_cast<uint32_t>(kind), 0, section_begin_, position_ - section_begin_,
                      checksum_->digest()});
  }

  Status section(SectionKind kind, std::span<const std::byte> bytes) {
    TENON_RETURN_IF_ERROR(begin_section());
    TENON_RETURN_IF_ERROR(append(bytes));
    end_section(kind);
    return {};
  }

  Status weights() {
    TENON_RETURN_IF_ERROR(begin_section());
    for (const WeightPart& part : parts_.weights) {
      const uint64_t begin = position_ - section_begin_;
      if (part.offset < begin || part.offset % kWeightAlignment != 0) {
        return internal("a weight at " + std::to_string(part.offset) +
                        " overlaps the one before it or is not 64-byte aligned");
      }
      TENON_RETURN_IF_ERROR(append_zeros(part.offset - begin));
      if (part.produce) {
        TENON_RETURN_IF_ERROR(
            part.produce([&](std::span<const std::byte> b) { return append(b); }));
      } else {
        TENON_RETURN_IF_ERROR(append(part.bytes));
      }
      if (position_ - section_begin_ != part.offset + part.size) {
        return internal("the weight at " + std::to_string(part.offset) + " has " +
                        std::to_string(position_ - section_begin_ - part.offset) +
                        " bytes instead of " + std::to_string(part.size));
      }
    }
    end_section(SectionKind::weights);
    return {};
  }

  Status header() {
    const auto table = std::as_bytes(std::span(table_));
    FileHeader header = {};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.format_major = kPlanFormatMajor;
    header.format_minor = kPlanFormatMinor;
    header.section_count = static_cast<uint32_t>(table_.size());
    header.file_bytes = position_;
    header.table_checksum = checksum64(table);
    header.header_checksum = checksum64(
        std::as_bytes(std::span(&header, 1)).first(offsetof(FileHeader, header_checksum)));
    TENON_RETURN_IF_ERROR(output_.write_at(0, std::as_bytes(std::span(&header, 1))));
    return output_.write_at(sizeof header, table);
  }

  const PlanParts& parts_;
  Output& output_;
  uint64_t position_ = 0, section_begin_ = 0;
  std::optional<Checksum64> checksum_;
  std::vector<SectionEntry> table_;
};

uint64_t weight_bytes(const PlanParts& parts) {
  return parts.weights.empty() ? 0 : parts.weights.back().offset + parts.weights.back().size;
}

Status write_to(const PlanParts& parts, Output& output) {
  if (parts.meta == nullptr) return internal("there is no META");
  Status sound = verify_meta(*parts.meta, parts.code.size(), weight_bytes(parts));
  if (sound.ok() && parts.debug != nullptr) sound = verify_debug(*parts.debug, *parts.meta);
  if (!sound.ok()) return internal(sound.message());
  return Writer(parts, output).write();
}

template <typename Write>
auto with_allocation_errors(const Write& write) -> decltype(write()) {
  try {
    return write();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::out_of_memory, "writing a plan: not enough memory");
  }
}

}  // namespace

Result<std::vector<std::byte>> write_plan(const PlanParts& parts) {
  return with_allocation_errors([&]() -> Result<std::vector<std::byte>> {
    MemoryOutput output;
    output.reserve(weight_bytes(parts) + parts.code.size());
    TENON_RETURN_IF_ERROR(write_to(parts, output));
    return output.take();
  });
}

Status write_plan_file(const std::string& path, const PlanParts& parts) {
  return with_allocation_errors([&]() -> Status {
    TENON_ASSIGN(OutputFile file, OutputFile::create(path));
    FileOutput output(file);
    TENON_RETURN_IF_ERROR(write_to(parts, output));
    return file.commit();
  });
}

}  // namespace tenon::plan
