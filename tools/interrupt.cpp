// SPDX-License-Identifier: Apache-2.0
#include "tools/interrupt.h"

#include <csignal>

namespace tenon::tools {
namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() { std::signal(SIGINT, on_interrupt); }

bool was_interrupted() { return interrupted != 0; }

}  // namespace tenon::tools
