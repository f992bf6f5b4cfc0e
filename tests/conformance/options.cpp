// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/options.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <string_view>

namespace tenon::conformance {
namespace {

Options& mutable_options() {
  static Options options;
  return options;
}

/// Whether `argument` is `flag` followed by a number, which goes to `value`.
bool read_number(std::string_view argument, std::string_view flag, uint64_t& value) {
  if (!argument.starts_with(flag)) return false;
  const std::string_view digits = argument.substr(flag.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() && end == digits.data() + digits.size();
}

}  // namespace

const Options& options() { return mutable_options(); }

bool read_options(int& count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (read_number(argument, "--seed=", mutable_options().seed)) continue;
    if (read_number(argument, "--count=", mutable_options().count)) continue;
    std::fprintf(stderr, "unknown flag %s; the suite's own are --seed=N and --count=N\n",
                 arguments[i]);
    return false;
  }
  count = 1;
  return true;
}

std::string command_that_repeats(uint64_t seed) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) return "";
  return std::string("tenon_test_conformance --gtest_filter=") + test->test_suite_name() + "." +
         test->name() + " --seed=" + std::to_string(seed) + " --count=1";
}

}  // namespace tenon::conformance
