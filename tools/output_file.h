// SPDX-License-Identifier: Apache-2.0
// Writes whole files: beside their place first, then renamed, so that a failure leaves nothing
// behind.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tenon::tools {

Status write_file(const std::string& path, std::initializer_list<std::span<const std::byte>> parts);
Status write_file(const std::string& path, std::string_view text);

}  // namespace tenon::tools
