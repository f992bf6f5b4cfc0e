// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenon::ops {

/// docs/operators.md: every ONNX operator that importing knows, and every graph operator.
std::string operator_table();

}  // namespace tenon::ops
