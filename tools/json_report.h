// SPDX-License-Identifier: Apache-2.0
// The JSON of the command: every object says which schema it follows (docs/json).
#pragma once

#include <tenon/status.h>

#include <nlohmann/json.hpp>

#include <string>

namespace tenon::tools {

/// Keys stay in the order in which they are added.
using Json = nlohmann::ordered_json;

/// {"schema": "tenon.<name>/1", "tenon": "<version>"}
Json json_report(const std::string& name);
/// The text of a report; names that are not UTF-8 get replacement characters.
std::string json_text(const Json& report);
/// Writes to a file, or to stdout when `path` is "-".
Status write_json(const std::string& path, const Json& report);

}  // namespace tenon::tools
