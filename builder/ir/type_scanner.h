// SPDX-License-Identifier: Apache-2.0
// Types and layouts inside a longer text.
#pragma once

#include "builder/ir/scanner.h"
#include "builder/ir/type.h"

namespace tenon::ir {

Result<Layout> parse_layout(Scanner& scanner, int rank);
Result<TensorType> parse_type(Scanner& scanner);

}  // namespace tenon::ir
