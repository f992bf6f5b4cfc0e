// SPDX-License-Identifier: Apache-2.0
// Links one relocatable object into one flat position-independent blob.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenon::codegen {

struct FlatCode {
  std::vector<std::byte> bytes;  ///< constants, then text; to be mapped 64-byte aligned
  uint64_t entry = 0;            ///< offset of the asked function
  uint64_t text_begin = 0, text_end = 0;
};

/// Places read-only sections and text of an ELF64 x86-64 object and resolves its relocations.
/// Internal errors: an undefined symbol, writable data, a relocation other than PC32/PLT32, a
/// damaged object.
Result<FlatCode> link_flat(std::span<const std::byte> object, const std::string& function);

}  // namespace tenon::codegen
