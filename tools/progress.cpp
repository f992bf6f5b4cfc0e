// SPDX-License-Identifier: Apache-2.0
#include "tools/progress.h"

#include "tools/interrupt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace tenon::tools {

ProgressBar::ProgressBar(const Session& session)
    : enabled_(!session.quiet && stderr_is_terminal()) {}

ProgressBar::~ProgressBar() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(std::string_view phase, long done, long total) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(50)) return;
  constexpr long kWidth = 24;
  const long filled = total > 0 ? std::clamp(kWidth * done / total, 0L, kWidth) : 0;
  std::string bar;
  for (long i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  fmt::print(stderr, "\r\033[K{:<9} {}  {}/{}", phase, bar, done, total);
  std::fflush(stderr);
  last_ = now;
  drawn_ = true;
}

Progress ProgressBar::callback() {
  return [this](std::string_view phase, long done, long total) {
    show(phase, done, total);
    return !was_interrupted();
  };
}

}  // namespace tenon::tools
