// SPDX-License-Identifier: Apache-2.0
// The options of a build, shared by every sub-command that builds.
#pragma once

#include "tools/session.h"

#include <tenon/builder.h>
#include <tenon/parser.h>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tenon::tools {

class BuildFlags {
 public:
  /// `with_shapes`: also --shape; a command that has its own --shape gives false.
  void add_to(CLI::App& command, bool with_shapes = true);
  /// What the flags say, or why they cannot be. Logger and progress are the caller's.
  Result<BuildOptions> resolve(const Session& session) const;
  /// Replaces what --shape says.
  void set_shapes(const std::vector<std::string>& arguments) { shapes_ = arguments; }
  uint32_t threads() const { return options_.threads; }

 private:
  BuildOptions options_;
  std::vector<std::string> targets_;
  std::vector<std::string> shapes_;
  std::vector<std::string> planned_;
};

/// Parses the model, mapped.
Result<Network> load_network(const std::string& path, const Session& session,
                             ModelSummary* summary = nullptr);

/// "opset 13, 122 nodes, 25.6 M parameters (97.5 MiB)"
std::string describe(const ModelSummary& summary);

}  // namespace tenon::tools
