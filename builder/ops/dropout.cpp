// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  if (node.has(2)) {
    TENON_ASSIGN(const auto training, required_integers(node, 2, "training_mode"));
    if (training != std::vector<int64_t>{0}) {
      return not_supported_yet("training: training_mode is true; export the model for inference");
    }
  }
  std::vector<Value*> outputs{node.inputs[0]};
  if (node.output_count > 1) {
    // Nothing is dropped: every element of the mask is true.
    const DataType type = node.opset() < 10 ? node.inputs[0]->type.type : DataType::boolean;
    Value* one = scalar_constant(importer, type, 1);
    const Shape& shape = node.inputs[0]->type.shape;
    if (!shape.empty()) {
      TENON_ASSIGN(one, single(importer, "expand", {one}, {{"shape", make_dims_attribute(shape)}}));
    }
    outputs.push_back(one);
  }
  return outputs;
}

}  // namespace

TENON_OP(Dropout) {
  define_import_only(op, "dropout", "Dropout", 7, "y = x; the mask is all true", import);
}

}  // namespace tenon::ops
