// SPDX-License-Identifier: Apache-2.0
// tenon ops: the operators that Tenon knows.
#include "tools/commands.h"
#include "tools/json_report.h"

#include <tenon/builder.h>

#include <fmt/format.h>

#include <algorithm>

namespace tenon::tools {
namespace {

void print_table(const std::vector<OperatorInfo>& infos) {
  size_t name_width = 8, onnx_width = 4;
  for (const OperatorInfo& info : infos) {
    name_width = std::max(name_width, info.name.size());
    onnx_width = std::max(onnx_width, std::min<size_t>(info.onnx.size(), 32));
  }
  fmt::print("{:<{}}  {:<{}}  {:<11}  what it computes\n", "operator", name_width, "ONNX",
             onnx_width, "kind");
  for (const OperatorInfo& info : infos) {
    fmt::print("{:<{}}  {:<{}}  {:<11}  {}\n", info.name, name_width, info.onnx, onnx_width,
               info.kind, info.summary);
    fmt::print("{:<{}}  {}\n", "", name_width, fmt::join(info.types, " "));
  }
  fmt::print("{} operators\n", infos.size());
}

Json make_json(const std::vector<OperatorInfo>& infos) {
  Json json = json_report("ops");
  json["operators"] = Json::array();
  for (const OperatorInfo& info : infos) {
    json["operators"].push_back({{"name", info.name},
                                 {"onnx", info.onnx},
                                 {"kind", info.kind},
                                 {"types", info.types},
                                 {"summary", info.summary}});
  }
  return json;
}

}  // namespace

void add_ops_command(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("ops", "List the operators that Tenon knows");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON");
  command->callback([json, &session] {
    const std::vector<OperatorInfo> infos = operators();
    if (*json) {
      session.finish(write_json("-", make_json(infos)));
    } else {
      print_table(infos);
    }
  });
}

}  // namespace tenon::tools
