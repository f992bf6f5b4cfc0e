// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/import.h"

#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"

#include <fmt/format.h>

namespace tenon::ops {

Result<Value*> single(Importer& importer, const std::string& op, const std::vector<Value*>& inputs,
                      Attributes attributes) {
  auto outputs = importer.node(op, inputs, std::move(attributes));
  if (!outputs.ok()) return outputs.status();
  return outputs->front();
}

Import import_as(std::string op) {
  return [op](const NodeView& node, Importer& importer) {
    return importer.node(op, node.inputs, node.node.attributes, node.output_count);
  };
}

Import import_chain(std::string op) {
  return [op](const NodeView& node, Importer& importer) -> Result<std::vector<Value*>> {
    if (node.inputs.empty() || !node.has(0)) return invalid("needs at least one input");
    Value* total = node.inputs[0];
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      TENON_ASSIGN(total, single(importer, op, {total, node.inputs[i]}));
    }
    return forward(total);
  };
}

Result<std::vector<Value*>> forward(Value* value) {
  if (!value) return invalid("needs input 0");
  return std::vector<Value*>{value};
}

Value* scalar_constant(Importer& importer, DataType type, double value) {
  ReferenceTensor tensor;
  tensor.type = type;
  if (is_float(type))
    tensor.reals = {value};
  else
    tensor.integers = {static_cast<int64_t>(value)};
  return importer.constant(to_tensor_data(tensor));
}

Value* integer_constants(Importer& importer, const std::vector<int64_t>& values) {
  ReferenceTensor tensor;
  tensor.type = DataType::i64;
  tensor.dims = {static_cast<int64_t>(values.size())};
  tensor.integers = values;
  return importer.constant(to_tensor_data(tensor));
}

Result<std::vector<Dim>> required_elements(const NodeView& node, int input, const char* name) {
  if (!node.has(input)) return invalid(fmt::format("needs input {} ({})", input, name));
  const Value* value = node.inputs[input];
  const Attributes none;
  const OpView view{node.node.op_type, none, {&value->type}, {value}, {}, 1};
  auto elements = view.elements(0);
  if (!elements) {
    return not_supported_yet(fmt::format(
        "input {} ({}) that is computed from data at run time; it must be a constant or a "
        "shape computation",
        input, name));
  }
  return *std::move(elements);
}

Result<std::vector<int64_t>> required_integers(const NodeView& node, int input, const char* name) {
  TENON_ASSIGN(const std::vector<Dim> elements, required_elements(node, input, name));
  if (!ir::is_static(elements)) {
    return not_supported_yet(fmt::format("input {} ({}) that depends on dims: {}", input, name,
                                         ir::to_string(elements)));
  }
  return ir::static_dims(elements);
}

Result<std::optional<std::vector<int64_t>>> integers_of(const NodeView& node, int input,
                                                        const char* name) {
  if (node.has(input)) {
    TENON_ASSIGN(std::vector<int64_t> values, required_integers(node, input, name));
    return std::optional(std::move(values));
  }
  if (node.has_attribute(name)) return std::optional(node.integers(name));
  return std::optional<std::vector<int64_t>>();
}

Result<Value*> reshape_to(Importer& importer, Value* value, const Shape& shape) {
  if (value->type.shape == shape) return value;
  return single(importer, "reshape", {value}, {{"shape", make_dims_attribute(shape)}});
}

}  // namespace tenon::ops
