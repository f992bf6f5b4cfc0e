// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/op.h"

namespace tenon::ops {

TENON_OP(GreaterOrEqual) {
  op.name = "greater_or_equal";
  op.summary = "y = a >= b, as b <= a";
  op.kind = Kind::import_only;
  op.onnx_names = {{"GreaterOrEqual", "", 12,
                    [](const NodeView& node, Importer& importer) -> Result<std::vector<Value*>> {
                      if (node.inputs.size() != 2) return invalid("needs inputs A and B");
                      return importer.node("less_equal", {node.inputs[1], node.inputs[0]});
                    }}};
}

}  // namespace tenon::ops
