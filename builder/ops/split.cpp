// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/dims_attribute.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/import_only.h"

#include <fmt/format.h>

namespace tenon::ops {
namespace {

/// Sizes from the input, the attribute, or equal shares: the last one smaller since opset 18.
Result<std::vector<Dim>> split_sizes(const NodeView& node, const Dim& dim) {
  if (node.has(1)) return required_elements(node, 1, "split");
  if (node.has_attribute("split")) return ir::to_shape(node.integers("split"));
  const int64_t parts = node.integer("num_outputs", node.output_count);
  if (parts < 1) return invalid(fmt::format("num_outputs is {}", parts));
  if (const auto share = Dim::exact_div(dim, parts)) return std::vector<Dim>(parts, *share);
  if (node.opset() < 18) {
    return invalid(
        fmt::format("dim {} does not split into {} equal parts", dim.to_string(), parts));
  }
  const Dim share = Dim::ceil_div(dim, parts);
  std::vector<Dim> sizes(parts - 1, share);
  sizes.push_back(dim - share * Dim(parts - 1));
  return sizes;
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs an input");
  Value* x = node.inputs[0];
  TENON_ASSIGN(const int axis, normal_axis(node.integer("axis", 0), x->type.rank()));
  const Dim dim = x->type.shape[axis];
  TENON_ASSIGN(const std::vector<Dim> sizes, split_sizes(node, dim));
  Dim start = 0;
  std::vector<Value*> outputs;
  for (const Dim& size : sizes) {
    const Dim here = size == Dim(0) ? Dim(0) : start;
    start = start + size;
    if (size == dim) {
      outputs.push_back(x);
      continue;
    }
    TENON_ASSIGN(Value * part, single(importer, "slice", {x},
                                      {{"axes", std::vector<int64_t>{axis}},
                                       {"starts", make_dims_attribute({here})},
                                       {"sizes", make_dims_attribute({size})},
                                       {"steps", std::vector<int64_t>{1}}}));
    outputs.push_back(part);
  }
  if (start != dim) {
    return invalid(fmt::format("the parts {} sum to {}, but axis {} is {}", ir::to_string(sizes),
                               start.to_string(), axis, dim.to_string()));
  }
  return outputs;
}

}  // namespace

TENON_OP(Split) {
  define_import_only(op, "split", "Split", 1, "slices one after another along axis", import);
}

}  // namespace tenon::ops
