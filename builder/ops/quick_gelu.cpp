// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/import_only.h"

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  return importer.node("swish", node.inputs, {{"alpha", node.real("alpha", 1.702)}});
}

}  // namespace

// ONNX Runtime's optimiser leaves this operator in the models that it saves.
TENON_OP(QuickGelu) {
  define_import_only(op, "quick_gelu", "QuickGelu", 1, "y = x / (1 + exp(-alpha*x)), alpha = 1.702",
                     import);
  op.onnx_names[0].domain = "com.microsoft";
}

}  // namespace tenon::ops
