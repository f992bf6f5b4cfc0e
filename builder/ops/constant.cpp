// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {
namespace {

ReferenceTensor tensor_of(DataType type, std::vector<int64_t> dims) {
  ReferenceTensor tensor;
  tensor.type = type;
  tensor.dims = std::move(dims);
  return tensor;
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  const auto& attributes = node.node.attributes;
  const auto get = [&]<typename T>(const char* name, const T*) -> const T* {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
  };
  if (const auto* value = get("value", static_cast<const TensorData*>(nullptr))) {
    return forward(importer.constant(*value));
  }
  if (node.has_attribute("value_float")) {
    return forward(scalar_constant(importer, DataType::f32, node.real("value_float")));
  }
  if (const auto* value = get("value_int", static_cast<const int64_t*>(nullptr))) {
    ReferenceTensor tensor = tensor_of(DataType::i64, {});
    tensor.integers = {*value};
    return forward(importer.constant(to_tensor_data(tensor)));
  }
  if (const auto* values = get("value_floats", static_cast<const std::vector<double>*>(nullptr))) {
    ReferenceTensor tensor = tensor_of(DataType::f32, {static_cast<int64_t>(values->size())});
    tensor.reals = *values;
    return forward(importer.constant(to_tensor_data(tensor)));
  }
  if (node.has_attribute("value_ints")) {
    return forward(integer_constants(importer, node.integers("value_ints")));
  }
  for (const char* name : {"value_string", "value_strings", "sparse_value"}) {
    if (node.has_attribute(name)) return not_supported_yet(std::string("Constant with ") + name);
  }
  return invalid("needs an attribute that holds the value");
}

}  // namespace

TENON_OP(Constant) {
  define_import_only(op, "constant", "Constant", 1, "a tensor of the model", import);
}

}  // namespace tenon::ops
