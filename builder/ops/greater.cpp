// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/op.h"

namespace tenon::ops {

TENON_OP(Greater) {
  op.name = "greater";
  op.summary = "y = a > b, as b < a";
  op.kind = Kind::import_only;
  op.onnx_names = {{"Greater", "", 7,
                    [](const NodeView& node, Importer& importer) -> Result<std::vector<Value*>> {
                      if (node.inputs.size() != 2) return invalid("needs inputs A and B");
                      return importer.node("less", {node.inputs[1], node.inputs[0]});
                    }}};
}

}  // namespace tenon::ops
