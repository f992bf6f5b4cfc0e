// SPDX-License-Identifier: Apache-2.0
#include "tools/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tenon::tools {

Logger Session::logger() const {
  return [quiet = quiet, verbose = verbose](LogLevel level, std::string_view message) {
    if (level == LogLevel::debug && !verbose) return;
    if (level == LogLevel::info && quiet) return;
    const char* prefix = level == LogLevel::error     ? "error: "
                         : level == LogLevel::warning ? "warning: "
                                                      : "";
    fmt::print(stderr, "{}{}\n", prefix, message);
  };
}

void Session::finish(const Status& status) {
  if (status.ok()) return;
  fmt::print(stderr, "error: {}\n", status.to_string());
  exit_status = status.code() == ErrorCode::internal ? kInternalError : kUserError;
}

void Session::finish(const Result<int>& status) {
  if (status.ok()) {
    exit_status = *status;
  } else {
    finish(status.status());
  }
}

Status not_supported_yet(const std::string& what) {
  return Status(ErrorCode::unsupported, "not supported yet: " + what);
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

}  // namespace tenon::tools
