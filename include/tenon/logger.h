// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace tenon {

enum class LogLevel : unsigned char { debug, info, warning, error };

/// Receives the messages of the libraries, which print nothing themselves.
/// May be called from any thread, one call at a time per builder or engine. Empty: messages are dropped.
using Logger = std::function<void(LogLevel, std::string_view message)>;

/// Reports progress of long work: what is being done, steps done, steps in all.
/// Returning false cancels the work, which then ends with ErrorCode::cancelled.
using Progress = std::function<bool(std::string_view phase, long done, long total)>;

}  // namespace tenon
