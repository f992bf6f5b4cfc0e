// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs an input");
  const Shape& from = node.inputs[0]->type.shape;
  const auto rank = static_cast<int64_t>(from.size());
  int64_t axis = node.integer("axis", 1);
  if (axis < -rank || axis > rank) {
    return invalid(fmt::format("axis {} is outside of {}", axis, ir::to_string(from)));
  }
  if (axis < 0) axis += rank;
  const auto middle = from.begin() + axis;
  TENON_ASSIGN(Value * y, reshape_to(importer, node.inputs[0],
                                     {ir::element_count(Shape(from.begin(), middle)),
                                      ir::element_count(Shape(middle, from.end()))}));
  return forward(y);
}

}  // namespace

TENON_OP(Flatten) {
  define_import_only(op, "flatten", "Flatten", 1, "a reshape to the matrix split at axis", import);
}

}  // namespace tenon::ops
