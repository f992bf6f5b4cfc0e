// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

namespace tenon::ops {
namespace {

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input X");
  std::vector<int64_t> axes;
  for (int i = 2; i < node.inputs[0]->type.rank(); ++i) axes.push_back(i);
  return importer.node("reduce_mean", {node.inputs[0]}, {{"axes", axes}});
}

}  // namespace

TENON_OP(GlobalAveragePool) {
  define_import_only(op, "global_average_pool", "GlobalAveragePool", 1,
                     "y = mean over all spatial axes", import);
}

}  // namespace tenon::ops
