// SPDX-License-Identifier: Apache-2.0
// What every sub-command shares: verbosity, messages on stderr, exit status.
#pragma once

#include <tenon/logger.h>
#include <tenon/status.h>

#include <string>

namespace tenon::tools {

enum ExitStatus : int { kDone = 0, kUserError = 1, kInternalError = 2 };

struct Session {
  bool quiet = false;
  bool verbose = false;
  int exit_status = kDone;

  /// Writes to stderr: warnings always, information unless quiet, debug messages when verbose.
  Logger logger() const;
  /// Takes the outcome of a sub-command: prints the error, sets the exit status.
  void finish(const Status& status);
  void finish(const Result<int>& status);
};

/// The answer to an option that is planned but absent.
Status not_supported_yet(const std::string& what);

/// True when stderr is a terminal.
bool stderr_is_terminal();

}  // namespace tenon::tools
