// SPDX-License-Identifier: Apache-2.0
// The `tenon` command.
#include "tools/commands.h"
#include "tools/interrupt.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace tenon::tools {
namespace {

/// What is wrong with the command line, and where to read what is right.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error, int count,
                          char** arguments) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (!chosen.empty()) {
    return fmt::format("{}. See: tenon {} --help", error.what(), chosen.front()->get_name());
  }
  for (int i = 1; i < count; ++i) {
    if (arguments[i][0] == '-') continue;
    std::string names;
    for (const CLI::App* command : app.get_subcommands({})) names += " " + command->get_name();
    return fmt::format("no sub-command is named \"{}\"; they are:{}", arguments[i], names);
  }
  return fmt::format("{}. See: tenon --help", error.what());
}

int run(int count, char** arguments) {
  Session session;
  CLI::App app("Builds engine plans from ONNX models, and runs, measures and checks them.",
               "tenon");
  app.set_version_flag("--version", "tenon " TENON_VERSION);
  app.add_flag("-q,--quiet", session.quiet, "Print results, warnings and errors only");
  app.add_flag("-v,--verbose", session.verbose, "Print what the libraries tell about their work");
  app.require_subcommand(1);
  app.fallthrough();
  add_build_command(app, session);
  add_run_command(app, session);
  add_bench_command(app, session);
  add_inspect_command(app, session);
  add_verify_command(app, session);
  add_check_command(app, session);
  add_opt_command(app, session);
  add_ops_command(app, session);
  app.footer(
      "Exit status: 0 done; 1 the model, a file, the usage, something unsupported, or a failed "
      "check; 2 a bug of Tenon.");
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "error: bad argument: {}\n", usage_message(app, error, count, arguments));
    return kUserError;
  }
  return session.exit_status;
}

/// A standard stream that the caller closed would lend its number to the next file that is opened, and
/// messages would land in a plan. Results that cannot be written stay an error: that stream is opened
/// for reading.
void open_closed_streams() {
  constexpr int kModes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", kModes[stream]) != stream) std::abort();
  }
}

}  // namespace
}  // namespace tenon::tools

int main(int count, char** arguments) {
  tenon::tools::open_closed_streams();
  tenon::tools::catch_interrupts();
  try {
    const int status = tenon::tools::run(count, arguments);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      fmt::print(stderr, "error: i/o: cannot write to standard output\n");
      return tenon::tools::kUserError;
    }
    return status;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: out of memory\n");
    return tenon::tools::kUserError;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: internal error: {}\n", error.what());
    return tenon::tools::kInternalError;
  }
}
