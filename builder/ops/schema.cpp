// SPDX-License-Identifier: Apache-2.0
// Checks nodes against their operator's schema, and infers their output types.
#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"
#include "builder/ops/op.h"

#include <fmt/format.h>

#include <functional>

namespace tenon::ops {
namespace {

std::string names_of(const TypeSet& types) {
  std::string text;
  for (const DataType type : types) {
    if (!text.empty()) text += ", ";
    text += to_string(type);
  }
  return text;
}

Status check_inputs(const OpDefinition& definition, const OpView& op) {
  const bool variadic = !definition.inputs.empty() && definition.inputs.back().variadic;
  if (op.inputs.size() > definition.inputs.size() && !variadic) {
    return invalid(fmt::format("{} takes at most {} inputs, not {}", definition.name,
                               definition.inputs.size(), op.inputs.size()));
  }
  const size_t count = std::max(op.inputs.size(), definition.inputs.size());
  for (size_t i = 0; i < count; ++i) {
    const auto& input = definition.inputs[std::min(i, definition.inputs.size() - 1)];
    if (!op.has(static_cast<int>(i))) {
      if (input.optional || (input.variadic && i >= op.inputs.size() && !op.inputs.empty()))
        continue;
      return invalid(fmt::format("{} needs input {} ({})", definition.name, i, input.name));
    }
    const TensorType& type = op.type(static_cast<int>(i));
    if (!input.types.contains(type.type)) {
      return Status(ErrorCode::unsupported,
                    fmt::format("{}: not supported yet: input {} ({}) of type {}; supported: {}", definition.name, i,
                                input.name, ir::to_string(type), names_of(input.types)));
    }
  }
  return {};
}

/// A value of the declared kind; integers serve as reals, texts of dims as integers.
bool fits(const AttributeValue& value, const AttributeValue& declared) {
  if (value.index() == declared.index()) return true;
  if (std::holds_alternative<double>(declared)) return std::holds_alternative<int64_t>(value);
  if (std::holds_alternative<std::vector<int64_t>>(declared)) {
    return parse_dims_attribute(value).has_value();
  }
  return false;
}

Status check_attributes(const OpDefinition& definition, const OpView& op) {
  for (const auto& [name, value] : op.attributes) {
    const OpDefinition::Attribute* declared = nullptr;
    for (const auto& candidate : definition.attributes) {
      if (candidate.name == name) declared = &candidate;
    }
    if (!declared) {
      return Status(ErrorCode::unsupported,
                    fmt::format("{} has no attribute \"{}\" in Tenon", definition.name, name));
    }
    if (!fits(value, declared->otherwise)) {
      return invalid(
          fmt::format("{}: attribute \"{}\" is of the wrong kind", definition.name, name));
    }
  }
  for (const auto& declared : definition.attributes) {
    if (declared.required && !op.attributes.contains(declared.name)) {
      return invalid(fmt::format("{} needs attribute \"{}\"", definition.name, declared.name));
    }
  }
  return {};
}

Status verify_region(const ir::Region& region) {
  for (const auto& node : region.nodes()) {
    for (const auto& inner : node->regions()) TENON_RETURN_IF_ERROR(verify_region(*inner));
    const OpDefinition* definition = find(node->op());
    if (!definition) {
      if (node->is_constant() || node->op() == ir::Node::kGroupOp ||
          node->op() == ir::Node::kReturnOp) {
        continue;
      }
      return Status(ErrorCode::internal, fmt::format("no operator is named \"{}\"", node->op()));
    }
    auto types = infer_types(*definition, view(*node));
    const std::string context = node->origins.empty()
                                    ? node->op()
                                    : fmt::format("{} from {}", node->op(), node->origins[0]);
    if (!types.ok()) return types.status().with_context(context);
    if (static_cast<int>(types->size()) != node->output_count()) {
      return Status(ErrorCode::internal, fmt::format("{}: has {} outputs, inference gives {}",
                                                     context, node->output_count(), types->size()));
    }
    for (int i = 0; i < node->output_count(); ++i) {
      const TensorType& stated = node->output(i)->type;
      const TensorType& inferred = (*types)[i];
      if (stated.type != inferred.type || stated.shape != inferred.shape) {
        return Status(ErrorCode::internal,
                      fmt::format("{}: output {} is stated as {}, inference gives {}", context, i,
                                  ir::to_string(stated), ir::to_string(inferred)));
      }
    }
  }
  return {};
}

}  // namespace

Result<Types> infer_types(const OpDefinition& definition, const OpView& op) {
  if (definition.kind == Kind::import_only) {
    return Status(
        ErrorCode::internal,
        fmt::format("{} is replaced at import and is no graph operator", definition.name));
  }
  TENON_RETURN_IF_ERROR(check_inputs(definition, op));
  TENON_RETURN_IF_ERROR(check_attributes(definition, op));
  auto types = definition.infer(op);
  if (!types.ok()) return types.status();
  if (static_cast<int>(types->size()) < op.output_count) {
    return invalid(
        fmt::format("{} has {} outputs, not {}", definition.name, types->size(), op.output_count));
  }
  for (const auto& type : *types) {
    TENON_RETURN_IF_ERROR(ir::check_size(type).with_context(definition.name));
    for (const Dim& dim : type.shape) {
      if (dim.is_constant() && dim.constant() < 0) {
        return invalid(fmt::format("{}: an output of shape {} has a negative dim", definition.name,
                                   ir::to_string(type.shape)));
      }
    }
  }
  return types;
}

Status verify_operators(const ir::Graph& graph) { return verify_region(graph.body()); }

}  // namespace tenon::ops
