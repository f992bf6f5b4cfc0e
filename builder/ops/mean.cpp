// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  TENON_ASSIGN(const std::vector<Value*> total, import_chain("add")(node, importer));
  const size_t count = node.inputs.size();
  if (count == 1) return total;
  Value* divisor = scalar_constant(importer, total[0]->type.type, static_cast<double>(count));
  return importer.node("div", {total[0], divisor});
}

}  // namespace

TENON_OP(Mean) { define_import_only(op, "mean", "Mean", 6, "y = (a + b + ...) / n", import); }

}  // namespace tenon::ops
