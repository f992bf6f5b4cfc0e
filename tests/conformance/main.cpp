// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/options.h"

#include <gtest/gtest.h>

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (!tenon::conformance::read_options(count, arguments)) return 1;
  return RUN_ALL_TESTS();
}
