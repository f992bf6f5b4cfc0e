// SPDX-License-Identifier: Apache-2.0
// What definitions read from nodes: attributes with their defaults, constants, known elements.
#include "builder/ops/op.h"

#include <cstring>

namespace tenon::ops {
namespace {

/// The attribute's value, else the default of the operator's schema, else null.
const AttributeValue* attribute(const OpView& op, std::string_view name) {
  if (const auto found = op.attributes.find(name); found != op.attributes.end()) {
    return &found->second;
  }
  const OpDefinition* definition = find(op.op);
  if (!definition) return nullptr;
  for (const auto& declared : definition->attributes) {
    if (declared.name == name && !declared.required) return &declared.otherwise;
  }
  return nullptr;
}

template <typename T>
T read(const AttributeValue* value, T otherwise) {
  if (!value) return otherwise;
  const T* typed = std::get_if<T>(value);
  return typed ? *typed : otherwise;
}

double read_real(const AttributeValue* value, double otherwise) {
  if (value) {
    if (const auto* integer = std::get_if<int64_t>(value)) return static_cast<double>(*integer);
  }
  return read<double>(value, otherwise);
}

const AttributeValue* attribute(const NodeView& view, std::string_view name) {
  const auto found = view.node.attributes.find(name);
  return found == view.node.attributes.end() ? nullptr : &found->second;
}

/// The attribute's value; remembers one that is there and cannot be read as T.
template <typename T>
T read(const NodeView& view, std::string_view name, T otherwise) {
  const AttributeValue* value = attribute(view, name);
  if (!value) return otherwise;
  if (const T* typed = std::get_if<T>(value)) return *typed;
  view.mismatched = name;
  return otherwise;
}

}  // namespace

int64_t OpView::integer(std::string_view name, int64_t otherwise) const {
  return read<int64_t>(attribute(*this, name), otherwise);
}
double OpView::real(std::string_view name, double otherwise) const {
  return read_real(attribute(*this, name), otherwise);
}
std::string OpView::text(std::string_view name, std::string otherwise) const {
  return read<std::string>(attribute(*this, name), std::move(otherwise));
}
std::vector<int64_t> OpView::integers(std::string_view name) const {
  return read<std::vector<int64_t>>(attribute(*this, name), {});
}

const TensorData* OpView::constant(int input) const {
  if (input >= static_cast<int>(values.size()) || !values[input]) return nullptr;
  return ir::Graph::constant_of(values[input]);
}

std::optional<std::vector<Dim>> OpView::elements(int input) const {
  constexpr int64_t kMostElements = 64;
  if (input >= static_cast<int>(values.size()) || !values[input]) return std::nullopt;
  if (values[input]->known_elements) return values[input]->known_elements;
  const TensorData* data = constant(input);
  if (!data || is_float(data->type)) return std::nullopt;
  int64_t count = 1;
  for (const int64_t dim : data->dims) count *= dim;
  if (count > kMostElements) return std::nullopt;
  const ReferenceTensor tensor = to_reference(*data);
  return std::vector<Dim>(tensor.integers.begin(), tensor.integers.end());
}

OpView view(const ir::Node& node) {
  OpView result{node.op(), node.attributes, {}, {}, {}, node.output_count()};
  for (const Value* value : node.inputs()) {
    result.inputs.push_back(value ? &value->type : nullptr);
    result.values.push_back(value);
  }
  for (int i = 0; i < node.output_count(); ++i) result.outputs.push_back(&node.output(i)->type);
  return result;
}

bool NodeView::has_attribute(std::string_view name) const {
  return attribute(*this, name) != nullptr;
}
int64_t NodeView::integer(std::string_view name, int64_t otherwise) const {
  return read<int64_t>(*this, name, otherwise);
}
double NodeView::real(std::string_view name, double otherwise) const {
  const AttributeValue* value = attribute(*this, name);
  if (value && std::holds_alternative<int64_t>(*value)) return read_real(value, otherwise);
  return read<double>(*this, name, otherwise);
}
std::string NodeView::text(std::string_view name, std::string otherwise) const {
  return read<std::string>(*this, name, std::move(otherwise));
}
std::vector<int64_t> NodeView::integers(std::string_view name) const {
  return read<std::vector<int64_t>>(*this, name, {});
}

const TypeSet& floats() {
  static const TypeSet set{DataType::f64, DataType::f32, DataType::f16, DataType::bf16};
  return set;
}
const TypeSet& integers() {
  static const TypeSet set{DataType::i64, DataType::i32, DataType::i16, DataType::i8,
                           DataType::u64, DataType::u32, DataType::u16, DataType::u8};
  return set;
}
const TypeSet& signed_numbers() {
  static const TypeSet set{DataType::f64, DataType::f32, DataType::f16, DataType::bf16,
                           DataType::i64, DataType::i32, DataType::i16, DataType::i8};
  return set;
}
const TypeSet& numbers() {
  static const TypeSet set = [] {
    TypeSet result = floats();
    result.insert(integers().begin(), integers().end());
    return result;
  }();
  return set;
}
const TypeSet& booleans() {
  static const TypeSet set{DataType::boolean};
  return set;
}
const TypeSet& all_types() {
  static const TypeSet set = [] {
    TypeSet result = numbers();
    result.insert(DataType::boolean);
    return result;
  }();
  return set;
}
const TypeSet& any_types() {
  static const TypeSet set = [] {
    TypeSet result;
    for (int i = 0; i < kDataTypeCount; ++i) result.insert(static_cast<DataType>(i));
    return result;
  }();
  return set;
}

}  // namespace tenon::ops
