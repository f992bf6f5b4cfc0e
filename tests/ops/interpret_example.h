// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/operator_example.h"

#include <vector>

namespace tenon::test {

/// The results of the operator's lowering, run by the interpreter.
Result<std::vector<ops::ReferenceTensor>> interpret_example(const OperatorExample& example);

}  // namespace tenon::test
