// SPDX-License-Identifier: Apache-2.0
// The sub-commands, one file each. Each adds itself to the command line and runs when it was
// chosen.
#pragma once

#include "tools/session.h"

#include <CLI/CLI.hpp>

namespace tenon::tools {

void add_build_command(CLI::App& app, Session& session);
void add_run_command(CLI::App& app, Session& session);
void add_bench_command(CLI::App& app, Session& session);
void add_inspect_command(CLI::App& app, Session& session);
void add_verify_command(CLI::App& app, Session& session);
void add_check_command(CLI::App& app, Session& session);
void add_opt_command(CLI::App& app, Session& session);
void add_ops_command(CLI::App& app, Session& session);

}  // namespace tenon::tools
