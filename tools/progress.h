// SPDX-License-Identifier: Apache-2.0
// A progress bar on stderr. It draws nothing unless stderr is a terminal, and is gone when
// destroyed.
#pragma once

#include "tools/session.h"

#include <chrono>

namespace tenon::tools {

class ProgressBar {
 public:
  explicit ProgressBar(const Session& session);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::string_view phase, long done, long total);
  /// For the libraries: draws, and asks to cancel after Control-C.
  Progress callback();

 private:
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tenon::tools
