// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/dims_attribute.h"

namespace tenon::ops {

AttributeValue make_dims_attribute(const std::vector<Dim>& dims) {
  if (ir::is_static(dims)) return ir::static_dims(dims);
  std::vector<std::string> texts;
  for (const auto& dim : dims) texts.push_back(dim.to_string());
  return texts;
}

std::optional<std::vector<Dim>> parse_dims_attribute(const AttributeValue& value) {
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&value)) {
    return ir::to_shape(*numbers);
  }
  const auto* texts = std::get_if<std::vector<std::string>>(&value);
  if (!texts) return std::nullopt;
  std::vector<Dim> dims;
  for (const auto& text : *texts) {
    auto dim = Dim::parse(text);
    if (!dim.ok()) return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

std::vector<Dim> dims_attribute(const OpView& op, std::string_view name) {
  const auto found = op.attributes.find(name);
  if (found == op.attributes.end()) return {};
  return parse_dims_attribute(found->second).value_or(std::vector<Dim>{});
}

}  // namespace tenon::ops
