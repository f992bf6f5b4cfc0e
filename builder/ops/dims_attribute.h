// SPDX-License-Identifier: Apache-2.0
// Attributes that hold dims: integers, or texts of dims where a symbol is among them.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

AttributeValue make_dims_attribute(const std::vector<Dim>& dims);
/// Empty when the attribute is absent. Texts are known to parse: the schema check saw them.
std::vector<Dim> dims_attribute(const OpView& op, std::string_view name);
/// The dims of an attribute value, or nothing when it is of another kind or does not parse.
std::optional<std::vector<Dim>> parse_dims_attribute(const AttributeValue& value);

}  // namespace tenon::ops
