// SPDX-License-Identifier: Apache-2.0
// Flags of the suite beside those of GoogleTest: --seed=N (the first seed) and --count=N (seeds of
// each case).
#pragma once

#include <cstdint>
#include <string>

namespace tenon::conformance {

struct Options {
  uint64_t seed = 1;
  uint64_t count = 1;
};
const Options& options();

/// Reads and removes the flags above; false, with a message, when one is wrong.
bool read_options(int& count, char** arguments);

/// What repeats the test that is running, with this seed only.
std::string command_that_repeats(uint64_t seed);

}  // namespace tenon::conformance
