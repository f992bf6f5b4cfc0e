// SPDX-License-Identifier: Apache-2.0
#include "tools/json_report.h"

#include "tools/output_file.h"

#include <fmt/format.h>

namespace tenon::tools {

Json json_report(const std::string& name) {
  return Json{{"schema", "tenon." + name + "/1"}, {"tenon", TENON_VERSION}};
}

std::string json_text(const Json& report) {
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status write_json(const std::string& path, const Json& report) {
  if (path != "-") return write_file(path, json_text(report));
  fmt::print("{}", json_text(report));
  return {};
}

}  // namespace tenon::tools
