// SPDX-License-Identifier: Apache-2.0
#include "builder/network_importer.h"

#include <fmt/format.h>

namespace tenon {
namespace {

constexpr size_t kMostKnownElements = 64;

/// Attributes equal to their default are not stored; integers given for reals become reals.
void normalize(const ops::OpDefinition& definition, Attributes& attributes) {
  for (const auto& declared : definition.attributes) {
    const auto found = attributes.find(declared.name);
    if (found == attributes.end()) continue;
    if (std::holds_alternative<double>(declared.otherwise)) {
      if (const auto* integer = std::get_if<int64_t>(&found->second)) {
        found->second = static_cast<double>(*integer);
      }
    }
    if (declared.required || std::holds_alternative<TensorData>(declared.otherwise)) continue;
    const bool same = std::visit(
        [&](const auto& otherwise) {
          using T = std::decay_t<decltype(otherwise)>;
          if constexpr (std::is_same_v<T, TensorData>)
            return false;
          else {
            const T* value = std::get_if<T>(&found->second);
            return value && *value == otherwise;
          }
        },
        declared.otherwise);
    if (same) attributes.erase(found);
  }
}

}  // namespace

Result<std::vector<ir::Value*>> NetworkImporter::node(const std::string& op,
                                                      const std::vector<ir::Value*>& given,
                                                      Attributes attributes, int output_count) {
  const ops::OpDefinition* definition = ops::find(op);
  if (!definition) {
    return Status(ErrorCode::internal, fmt::format("no graph operator is named \"{}\"", op));
  }
  std::vector<ir::Value*> inputs = given;
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  normalize(*definition, attributes);

  ops::OpView view{op, attributes, {}, {}, {}, output_count};
  for (const ir::Value* input : inputs) {
    view.inputs.push_back(input ? &input->type : nullptr);
    view.values.push_back(input);
  }
  TENON_ASSIGN(ops::Types types, ops::infer_types(*definition, view));
  std::optional<std::vector<ir::Dim>> known;
  if (definition->known_elements && !is_float(types[0].type))
    known = definition->known_elements(view);

  ir::Node* made = graph_.body().insert(op, inputs);
  made->attributes = std::move(attributes);
  made->origins = {origin_};
  made_.push_back(made);
  std::vector<ir::Value*> outputs;
  for (auto& type : types) outputs.push_back(made->add_output(std::move(type)));
  if (known && known->size() <= kMostKnownElements) outputs[0]->known_elements = std::move(known);
  return outputs;
}

ir::Value* NetworkImporter::constant(TensorData data) {
  ir::Value* value =
      ir::Graph::add_constant(graph_.body(), std::move(data), "", graph_.body().terminator());
  made_.push_back(value->producer());
  return value;
}

void NetworkImporter::undo() {
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) graph_.body().erase(*made);
  made_.clear();
}

}  // namespace tenon
