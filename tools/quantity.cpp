// SPDX-License-Identifier: Apache-2.0
#include "tools/quantity.h"

#include <fmt/format.h>

namespace tenon::tools {

std::string bytes_text(int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes >= int64_t{1} << 30) return fmt::format("{:.2f} GiB", value / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", value / (1 << 20));
  if (bytes >= 10 << 10) return fmt::format("{:.0f} KiB", value / (1 << 10));
  if (bytes >= 1 << 10) return fmt::format("{:.1f} KiB", value / (1 << 10));
  return fmt::format("{} bytes", bytes);
}

std::string count_text(int64_t count) {
  const double value = static_cast<double>(count);
  if (count >= 1'000'000'000) return fmt::format("{:.1f} G", value / 1e9);
  if (count >= 1'000'000) return fmt::format("{:.1f} M", value / 1e6);
  if (count >= 10'000) return fmt::format("{:.1f} k", value / 1e3);
  return fmt::format("{}", count);
}

}  // namespace tenon::tools
