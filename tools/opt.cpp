// SPDX-License-Identifier: Apache-2.0
// tenon opt GRAPH.ir: runs passes over a graph's text form and prints what results.
#include "tools/commands.h"

#include "builder/ir/text.h"
#include "builder/ir/verify.h"
#include "builder/ops/op.h"
#include "builder/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace tenon::tools {
namespace {

struct OptArguments {
  std::string graph;
  std::vector<std::string> passes;
  bool pipeline = false;
  BuildOptions options;
};

Result<std::string> read_text(const std::string& path) {
  // Devices and pipes may never end.
  constexpr size_t kMaximumBytes = size_t{1} << 28;
  std::ifstream file;
  if (path != "-") {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
      return Status(ErrorCode::io, fmt::format("cannot read {}: is a directory", path));
    }
    file.open(path);
  }
  if (path != "-" && !file) {
    return Status(ErrorCode::io, fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  std::istream& from = path == "-" ? std::cin : file;
  std::string text;
  std::vector<char> part(1 << 16);
  while (from.read(part.data(), static_cast<std::streamsize>(part.size())) || from.gcount() > 0) {
    text.append(part.data(), static_cast<size_t>(from.gcount()));
    if (text.size() > kMaximumBytes) {
      return Status(ErrorCode::io,
                    fmt::format("{}: is longer than {} MiB, and no graph", path, kMaximumBytes >> 20));
    }
  }
  return text;
}

/// The text is the user's: what does not fit together in it is no bug of Tenon.
Status verify_text(const ir::Graph& graph) {
  Status status = ir::verify(graph);
  if (status.ok()) status = ops::verify_operators(graph);
  return status.ok() ? status : Status(ErrorCode::invalid_model, status.message());
}

/// Blanks lines that are comments, so that positions in messages stay those of the file.
std::string without_comments(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line.compare(start, 2, "//") != 0) result += line;
    result += '\n';
  }
  return result;
}

Result<Pipeline> choose_passes(const OptArguments& arguments) {
  const Pipeline all = make_pipeline();
  if (arguments.pipeline) return all;
  Pipeline chosen;
  for (const std::string& name : arguments.passes) {
    const auto pass =
        std::find_if(all.begin(), all.end(), [&](const Pass& p) { return p.name == name; });
    if (pass == all.end()) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("--pass: no pass is named \"{}\"; the passes are: {}", name,
                                fmt::join(pass_names(), ", ")));
    }
    chosen.push_back(*pass);
  }
  return chosen;
}

Status opt(const OptArguments& arguments, const Session& session) {
  TENON_ASSIGN(Pipeline passes, choose_passes(arguments));
  TENON_ASSIGN(std::string text, read_text(arguments.graph));
  Result<ir::Graph> graph = ir::parse(without_comments(text));
  if (!graph.ok()) return graph.status().with_context(arguments.graph);
  TENON_RETURN_IF_ERROR(verify_text(*graph).with_context(arguments.graph));
  BuildOptions options = arguments.options;
  options.logger = session.logger();
  BuildReport report;
  TENON_RETURN_IF_ERROR(run_passes(passes, *graph, options, &report));
  for (const PassTime& pass : report.passes) {
    if (session.verbose) {
      fmt::print(stderr, "{:<30} {:>6} rewrites   {:.3f} s\n", pass.name, pass.rewrites,
                 pass.seconds);
    }
  }
  fmt::print("{}", ir::print(*graph));
  return {};
}

}  // namespace

void add_opt_command(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("opt", "Run passes over a graph in text form and print it");
  auto arguments = std::make_shared<OptArguments>();
  const auto add_list = [&](const char* name, std::vector<std::string>& into, const char* text) {
    return command->add_option(name, into, text)->allow_extra_args(false);
  };
  command->add_option("GRAPH.ir", arguments->graph, "The graph; -: from stdin")->required();
  CLI::Option* passes =
      add_list("--pass", arguments->passes, "Run this pass; repeat for more, in order");
  command->add_flag("--pipeline", arguments->pipeline, "Run all passes of a build")
      ->excludes(passes);
  add_list("--disable-pass", arguments->options.disabled_passes,
           "Leave out a pass of the pipeline");
  add_list("--print-after", arguments->options.print_after,
           "Print the graph after a pass, to stderr; all");
  command->add_option("--stop-after", arguments->options.stop_after_rewrites,
                      "No rewrite after so many");
  command->add_flag("--strict-numerics", arguments->options.strict_numerics,
                    "Only rewrites that keep results exact");
  command->add_option("--reproducer-dir", arguments->options.reproducer_directory,
                      "Folder where a failing pass leaves its graph");
  command->callback([arguments, &session] { session.finish(opt(*arguments, session)); });
}

}  // namespace tenon::tools
