// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {

TENON_OP(Sum) { define_import_only(op, "sum", "Sum", 6, "y = a + b + ...", import_chain("add")); }

}  // namespace tenon::ops
