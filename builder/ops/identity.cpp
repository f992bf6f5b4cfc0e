// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {

TENON_OP(Identity) {
  define_import_only(op, "identity", "Identity", 1, "y = x", [](const NodeView& node, Importer&) {
    return forward(node.has(0) ? node.inputs[0] : nullptr);
  });
}

}  // namespace tenon::ops
