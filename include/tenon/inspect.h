// SPDX-License-Identifier: Apache-2.0
// What is inside a plan, for people and for scripts.
#pragma once

#include <tenon/export.h>
#include <tenon/status.h>

#include <string>

namespace tenon {

struct InspectOptions {
  bool json = false;     ///< one JSON object of schema "tenon.inspect/1" instead of text
  bool kernels = false;  ///< also the loop text of every kernel, and the graph's text
};

/// Describes a plan file, after verifying it. Works on any machine: nothing of the plan is run.
TENON_API Result<std::string> inspect_plan(const std::string& path,
                                           const InspectOptions& options = {});

/// The same with only the form chosen.
inline Result<std::string> inspect_plan(const std::string& path, bool json) {
  return inspect_plan(path, InspectOptions{json, false});
}

}  // namespace tenon
