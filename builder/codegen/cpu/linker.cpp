// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/linker.h"

#include <elf.h>

#include <cstring>
#include <limits>
#include <optional>

namespace tenon::codegen {

namespace {

Status broken(const std::string& what) {
  return {ErrorCode::internal, "generated object: " + what};
}

/// Bounds-checked views of the object.
class Object {
 public:
  explicit Object(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Status open() {
    if (!read(0, &header_) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_type != ET_REL ||
        header_.e_machine != EM_X86_64) {
      return broken("is no relocatable x86-64 ELF object");
    }
    if (header_.e_shentsize != sizeof(Elf64_Shdr)) return broken("has odd section headers");
    sections.resize(header_.e_shnum);
    for (size_t i = 0; i < sections.size(); ++i) {
      if (!read(header_.e_shoff + i * sizeof(Elf64_Shdr), &sections[i])) {
        return broken("section headers lie outside");
      }
      const auto& section = sections[i];
      if (section.sh_type != SHT_NOBITS && !inside(section.sh_offset, section.sh_size)) {
        return broken("section " + std::to_string(i) + " lies outside");
      }
      if (section.sh_addralign > 4096) return broken("asks for an alignment above a page");
    }
    return {};
  }

  template <typename T>
  bool read(uint64_t offset, T* value) const {
    if (!inside(offset, sizeof(T))) return false;
    std::memcpy(value, bytes_.data() + offset, sizeof(T));
    return true;
  }

  std::string text(uint64_t strings, uint64_t at) const {
    if (strings >= sections.size()) return "?";
    const auto& table = sections[strings];
    std::string result;
    for (uint64_t i = at; table.sh_type == SHT_STRTAB && i < table.sh_size; ++i) {
      char c = static_cast<char>(bytes_[table.sh_offset + i]);
      if (!c) break;
      result += c;
    }
    return result;
  }

  std::string name(const Elf64_Shdr& section) const {
    return text(header_.e_shstrndx, section.sh_name);
  }

  std::span<const std::byte> data(const Elf64_Shdr& section) const {
    return bytes_.subspan(section.sh_offset, section.sh_size);
  }

  std::vector<Elf64_Shdr> sections;

 private:
  bool inside(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
};

class Linker {
 public:
  Linker(std::span<const std::byte> bytes, const std::string& function)
      : object_(bytes), function_(function) {}

  Result<FlatCode> link() {
    TENON_RETURN_IF_ERROR(object_.open());
    placed_.resize(object_.sections.size());
    TENON_RETURN_IF_ERROR(place());
    for (const auto& section : object_.sections) {
      if (section.sh_type == SHT_REL && target(section)) return broken("has REL relocations");
      if (section.sh_type == SHT_RELA && target(section)) TENON_RETURN_IF_ERROR(relocate(section));
    }
    TENON_RETURN_IF_ERROR(find_entry());
    return std::move(code_);
  }

 private:
  const uint64_t* target(const Elf64_Shdr& relocations) const {
    return relocations.sh_info < placed_.size() && placed_[relocations.sh_info]
               ? &*placed_[relocations.sh_info]
               : nullptr;
  }

  Status place() {
    for (bool executable : {false, true}) {
      if (executable) align(64);
      if (executable) code_.text_begin = code_.bytes.size();
      for (size_t i = 0; i < object_.sections.size(); ++i) {
        const auto& section = object_.sections[i];
        bool is_text = section.sh_flags & SHF_EXECINSTR;
        if (!(section.sh_flags & SHF_ALLOC) || section.sh_size == 0 || is_text != executable) {
          continue;
        }
        auto name = object_.name(section);
        if (name.starts_with(".eh_frame")) continue;
        if (section.sh_flags & (SHF_WRITE | SHF_TLS) || section.sh_type == SHT_NOBITS) {
          return broken("has writable data in section " + name);
        }
        align(std::max<uint64_t>(64, section.sh_addralign));
        placed_[i] = code_.bytes.size();
        auto data = object_.data(section);
        code_.bytes.insert(code_.bytes.end(), data.begin(), data.end());
      }
    }
    code_.text_end = code_.bytes.size();
    return {};
  }

  void align(uint64_t alignment) {
    code_.bytes.resize((code_.bytes.size() + alignment - 1) / alignment * alignment);
  }

  Status symbol(uint64_t table, uint64_t number, Elf64_Sym* result) const {
    if (table >= object_.sections.size() || object_.sections[table].sh_type != SHT_SYMTAB) {
      return broken("has relocations without a symbol table");
    }
    const auto& symbols = object_.sections[table];
    if (number >= symbols.sh_size / sizeof(Elf64_Sym)) return broken("names no symbol");
    object_.read(symbols.sh_offset + number * sizeof(Elf64_Sym), result);
    return {};
  }

  Status relocate(const Elf64_Shdr& relocations) {
    uint64_t base = *target(relocations);
    uint64_t size = object_.sections[relocations.sh_info].sh_size;
    for (uint64_t i = 0; i < relocations.sh_size / sizeof(Elf64_Rela); ++i) {
      Elf64_Rela entry;
      object_.read(relocations.sh_offset + i * sizeof(entry), &entry);
      Elf64_Sym target_symbol;
      TENON_RETURN_IF_ERROR(symbol(relocations.sh_link, ELF64_R_SYM(entry.r_info), &target_symbol));
      auto name =
          object_.text(object_.sections[relocations.sh_link].sh_link, target_symbol.st_name);
      auto type = ELF64_R_TYPE(entry.r_info);
      if (type != R_X86_64_PC32 && type != R_X86_64_PLT32) {
        return broken("relocation of type " + std::to_string(type) + " against '" + name +
                      "' in section " + object_.name(object_.sections[relocations.sh_info]));
      }
      if (target_symbol.st_shndx >= placed_.size() || !placed_[target_symbol.st_shndx]) {
        return broken("undefined symbol '" + name + "'");
      }
      if (entry.r_offset > size || size - entry.r_offset < 4) return broken("relocates outside");
      int64_t place = static_cast<int64_t>(base + entry.r_offset);
      int64_t value =
          static_cast<int64_t>(*placed_[target_symbol.st_shndx] + target_symbol.st_value) +
          entry.r_addend - place;
      if (value != static_cast<int32_t>(value)) return broken("is larger than 2 GiB");
      auto narrow = static_cast<int32_t>(value);
      std::memcpy(code_.bytes.data() + place, &narrow, 4);
    }
    return {};
  }

  Status find_entry() {
    for (size_t i = 0; i < object_.sections.size(); ++i) {
      const auto& section = object_.sections[i];
      if (section.sh_type != SHT_SYMTAB) continue;
      for (uint64_t number = 0; number < section.sh_size / sizeof(Elf64_Sym); ++number) {
        Elf64_Sym entry;
        TENON_RETURN_IF_ERROR(symbol(i, number, &entry));
        if (object_.text(section.sh_link, entry.st_name) != function_) continue;
        if (entry.st_shndx < placed_.size() && placed_[entry.st_shndx]) {
          code_.entry = *placed_[entry.st_shndx] + entry.st_value;
          if (code_.entry >= code_.text_begin && code_.entry < code_.text_end) return {};
        }
      }
    }
    return broken("does not define function '" + function_ + "'");
  }

  Object object_;
  std::string function_;
  std::vector<std::optional<uint64_t>> placed_;
  FlatCode code_;
};

}  // namespace

Result<FlatCode> link_flat(std::span<const std::byte> object, const std::string& function) {
  return Linker(object, function).link();
}

}  // namespace tenon::codegen
