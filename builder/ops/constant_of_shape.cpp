// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  TENON_ASSIGN(const Shape shape, required_elements(node, 0, "input"));
  Value* value = nullptr;
  if (const auto found = node.node.attributes.find("value"); found != node.node.attributes.end()) {
    const auto* data = std::get_if<TensorData>(&found->second);
    if (!data || data->bytes.size() != static_cast<size_t>(byte_size(data->type, 1))) {
      return invalid("attribute value must be a tensor of one element");
    }
    TensorData scalar = *data;
    scalar.dims.clear();
    value = importer.constant(scalar);
  } else {
    value = scalar_constant(importer, DataType::f32, 0);
  }
  if (shape.empty()) return forward(value);
  return importer.node("expand", {value}, {{"shape", make_dims_attribute(shape)}});
}

}  // namespace

TENON_OP(ConstantOfShape) {
  define_import_only(op, "constant_of_shape", "ConstantOfShape", 9,
                     "y = value, stretched to a shape", import);
}

}  // namespace tenon::ops
