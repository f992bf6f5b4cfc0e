// SPDX-License-Identifier: Apache-2.0
#include "parser/attribute.h"

#include "parser/tensor.h"

#include <fmt/core.h>

#include <utility>

namespace tenon::parser {
namespace {

using tenon_onnx::AttributeProto;

Status unsupported(const char* kind, const std::string& name) {
  return Status(ErrorCode::unsupported,
                fmt::format("not supported yet: {} attribute \"{}\"", kind, name));
}

/// The kind of a value; where the writer left it out, that of the field that is there.
AttributeProto::AttributeType type_of(const AttributeProto& value) {
  if (value.type() != AttributeProto::UNDEFINED) return value.type();
  if (value.has_f()) return AttributeProto::FLOAT;
  if (value.has_i()) return AttributeProto::INT;
  if (value.has_s()) return AttributeProto::STRING;
  if (value.has_t()) return AttributeProto::TENSOR;
  if (value.has_g()) return AttributeProto::GRAPH;
  if (value.floats_size()) return AttributeProto::FLOATS;
  if (value.ints_size()) return AttributeProto::INTS;
  if (value.strings_size()) return AttributeProto::STRINGS;
  if (value.tensors_size()) return AttributeProto::TENSORS;
  if (value.graphs_size()) return AttributeProto::GRAPHS;
  if (value.has_sparse_tensor()) return AttributeProto::SPARSE_TENSOR;
  return AttributeProto::UNDEFINED;
}

Result<AttributeValue> read_attribute(ModelFile& file, const FlatAttribute& attribute) {
  const AttributeProto& value = *attribute.value;
  const std::string& name = attribute.name;
  switch (type_of(value)) {
    case AttributeProto::FLOAT:
      return AttributeValue(static_cast<double>(value.f()));
    case AttributeProto::INT:
      return AttributeValue(static_cast<int64_t>(value.i()));
    case AttributeProto::STRING:
      return AttributeValue(value.s());
    case AttributeProto::TENSOR: {
      Result<TensorData> tensor = read_tensor(file, value.t());
      if (!tensor.ok()) return tensor.status().with_context(fmt::format("attribute \"{}\"", name));
      return AttributeValue(*std::move(tensor));
    }
    case AttributeProto::FLOATS:
      return AttributeValue(std::vector<double>(value.floats().begin(), value.floats().end()));
    case AttributeProto::INTS:
      return AttributeValue(std::vector<int64_t>(value.ints().begin(), value.ints().end()));
    case AttributeProto::STRINGS:
      return AttributeValue(
          std::vector<std::string>(value.strings().begin(), value.strings().end()));
    case AttributeProto::GRAPH:
      return unsupported("subgraph", name);
    case AttributeProto::GRAPHS:
      return unsupported("subgraph list", name);
    case AttributeProto::TENSORS:
      return unsupported("tensor list", name);
    case AttributeProto::SPARSE_TENSOR:
      return unsupported("sparse tensor", name);
    case AttributeProto::SPARSE_TENSORS:
      return unsupported("sparse tensor list", name);
    case AttributeProto::TYPE_PROTO:
      return unsupported("type", name);
    case AttributeProto::TYPE_PROTOS:
      return unsupported("type list", name);
    case AttributeProto::UNDEFINED:
      break;
  }
  return Status(ErrorCode::invalid_model, fmt::format("attribute \"{}\" has no value", name));
}

}  // namespace

Result<Attributes> read_attributes(ModelFile& file, const FlatNode& node) {
  Attributes attributes;
  for (const FlatAttribute& attribute : node.attributes) {
    TENON_ASSIGN(AttributeValue value, read_attribute(file, attribute));
    if (!attributes.emplace(attribute.name, std::move(value)).second) {
      return Status(ErrorCode::invalid_model,
                    fmt::format("attribute \"{}\" is given twice", attribute.name));
    }
  }
  return attributes;
}

Result<TensorData> read_constant_node(ModelFile& file, const FlatNode& node) {
  if (node.attributes.size() != 1) {
    return Status(ErrorCode::invalid_model,
                  fmt::format("it has {} attributes, and a Constant has one: its value",
                              node.attributes.size()));
  }
  const auto& [name, value] = node.attributes.front();
  if (name == "value_float") return tensor_of(std::vector<float>{value->f()}, {});
  if (name == "value_int") return tensor_of(std::vector<int64_t>{value->i()}, {});
  if (name == "value_floats") {
    return tensor_of(std::vector<float>(value->floats().begin(), value->floats().end()),
                     {value->floats_size()});
  }
  if (name == "value_ints") {
    return tensor_of(std::vector<int64_t>(value->ints().begin(), value->ints().end()),
                     {value->ints_size()});
  }
  if (name == "value_string" || name == "value_strings") {
    return Status(ErrorCode::unsupported, "not supported yet: string tensors");
  }
  TENON_ASSIGN(const AttributeValue read, read_attribute(file, node.attributes.front()));
  if (const TensorData* tensor = std::get_if<TensorData>(&read); tensor && name == "value") {
    return *tensor;
  }
  return Status(ErrorCode::invalid_model, fmt::format("attribute \"{}\" is no tensor", name));
}

}  // namespace tenon::parser
