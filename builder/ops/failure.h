// SPDX-License-Identifier: Apache-2.0
// The two ways in which a model cannot be taken.
#pragma once

#include <tenon/status.h>

#include <string>

namespace tenon::ops {

/// The model is wrong.
inline Status invalid(std::string message) {
  return Status(ErrorCode::invalid_model, std::move(message));
}

/// The model is right, but Tenon lacks `what`.
inline Status not_supported_yet(const std::string& what) {
  return Status(ErrorCode::unsupported, "not supported yet: " + what);
}

}  // namespace tenon::ops
