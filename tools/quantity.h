// SPDX-License-Identifier: Apache-2.0
// Numbers with units, for people.
#pragma once

#include <cstdint>
#include <string>

namespace tenon::tools {

/// "97.5 MiB", "214 KiB", "12 bytes"
std::string bytes_text(int64_t bytes);
/// "25.6 M", "1.2 k", "17"
std::string count_text(int64_t count);

}  // namespace tenon::tools
