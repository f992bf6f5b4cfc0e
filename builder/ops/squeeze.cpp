// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  const Shape& from = node.inputs[0]->type.shape;
  TENON_ASSIGN(const auto given, integers_of(node, 1, "axes"));
  std::vector<int64_t> axes;
  if (given) {
    TENON_ASSIGN(axes, normal_axes(*given, static_cast<int>(from.size())));
  } else {
    for (size_t i = 0; i < from.size(); ++i) {
      if (!from[i].is_constant()) {
        return not_supported_yet(fmt::format("Squeeze without axes of {}: dim {} may be 1",
                                             ir::to_string(from), from[i].to_string()));
      }
      if (from[i] == Dim(1)) axes.push_back(static_cast<int64_t>(i));
    }
  }
  Shape shape;
  for (size_t i = 0; i < from.size(); ++i) {
    const bool drops = std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    if (drops && from[i] != Dim(1)) {
      return invalid(
          fmt::format("axis {} of {} is {}, not 1", i, ir::to_string(from), from[i].to_string()));
    }
    if (!drops) shape.push_back(from[i]);
  }
  TENON_ASSIGN(Value * y, reshape_to(importer, node.inputs[0], shape));
  return forward(y);
}

}  // namespace

TENON_OP(Squeeze) {
  define_import_only(op, "squeeze", "Squeeze", 1, "a reshape without axes of size 1", import);
}

}  // namespace tenon::ops
