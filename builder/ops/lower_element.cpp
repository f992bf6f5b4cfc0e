// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/broadcast.h"
#include "builder/ops/op.h"

namespace tenon::ops {

ExprPointer lower_element(const ir::Node& node, Lowering& lowering, int output,
                          const Indices& indices) {
  const OpDefinition* definition = find(node.op());
  const OpView op = view(node);
  if (definition->lower) return definition->lower(op, lowering, output, indices);
  std::vector<ExprPointer> operands;
  for (int i = 0; i < static_cast<int>(op.inputs.size()); ++i) {
    operands.push_back(op.has(i) ? lowering.input(i, broadcast_indices(op.type(i).shape, indices))
                                 : nullptr);
  }
  return definition->scalar(op, operands);
}

}  // namespace tenon::ops
