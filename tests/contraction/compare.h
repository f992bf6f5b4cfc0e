// SPDX-License-Identifier: Apache-2.0
// Generated contractions against the interpreter.
#pragma once

#include "tests/contraction/kernel_runner.h"

#include <string>

namespace tenon::test {

struct Case {
  std::string name;
  loop::Kernel kernel;
  Symbols symbols;
  double depth = 1;  ///< products in one sum, which the tolerance grows with
};

size_t byte_count(const ir::TensorType& type, const Symbols& symbols);

/// Runs every schedule of one kernel on one target and compares with the interpreter.
void check(const Case& test, const std::string& target_name, bool checked = false);

}  // namespace tenon::test
