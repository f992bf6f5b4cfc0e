// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  TENON_ASSIGN(const auto given, integers_of(node, 1, "axes"));
  if (!given) return invalid("needs axes");
  Shape shape = node.inputs[0]->type.shape;
  TENON_ASSIGN(const auto axes,
               normal_axes(*given, static_cast<int>(shape.size() + given->size())));
  for (const int64_t axis : axes) shape.insert(shape.begin() + axis, Dim(1));
  TENON_ASSIGN(Value * y, reshape_to(importer, node.inputs[0], shape));
  return forward(y);
}

}  // namespace

TENON_OP(Unsqueeze) {
  define_import_only(op, "unsqueeze", "Unsqueeze", 1, "a reshape with more axes of size 1", import);
}

}  // namespace tenon::ops
