// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/axis.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/point_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  const TensorType& x = op.type(0);
  const auto perm = op.integers("perm");
  TENON_ASSIGN(const auto sorted, normal_axes(perm, x.rank()));
  if (static_cast<int>(sorted.size()) != x.rank() ||
      std::any_of(perm.begin(), perm.end(), [](int64_t axis) { return axis < 0; })) {
    return invalid(fmt::format("transpose: perm [{}] is no permutation of the axes of {}",
                               fmt::join(perm, ","), ir::to_string(x.shape)));
  }
  TensorType y{x.type, {}, {}};
  for (const int64_t axis : perm) y.shape.push_back(x.shape[axis]);
  return Types{y};
}

Status reference(const OpView& op, const Operands& in, const Results& out) {
  const auto perm = op.integers("perm");
  std::vector<int64_t> source(perm.size());
  copy_points(*in[0], *out[0], [&](const std::vector<int64_t>& at) {
    for (size_t i = 0; i < perm.size(); ++i) source[perm[i]] = at[i];
    return &source;
  });
  return {};
}

ExprPointer lower(const OpView& op, Lowering& lowering, int, const Indices& at) {
  const auto perm = op.integers("perm");
  Indices source(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) source[perm[i]] = at[i];
  return lowering.input(0, source);
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs input data");
  auto perm = node.integers("perm");
  const int rank = node.inputs[0]->type.rank();
  if (!node.has_attribute("perm")) {
    for (int i = rank; i-- > 0;) perm.push_back(i);
  }
  return importer.node("transpose", node.inputs, {{"perm", perm}});
}

}  // namespace

TENON_OP(Transpose) {
  op.name = "transpose";
  op.summary = "y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]";
  op.kind = Kind::movement;
  op.inputs = {{"data", any_types()}};
  op.attributes = {{"perm", std::vector<int64_t>{}, true}};
  op.onnx_names = {{"Transpose", "", 1, import}};
  op.infer = infer;
  op.is_identity = [](const OpView& view) {
    const std::vector<int64_t> permutation = view.integers("perm");
    return std::is_sorted(permutation.begin(), permutation.end());
  };
  op.reference = reference;
  op.lower = lower;
  op.examples = {
      "f32[2,3,4] {perm=[2,0,1]}", "f32[2,3] {perm=[1,0]}", "i8[2,3,4,5] {perm=[0,2,3,1]}",
      "f16[N,3,4] {perm=[1,0,2]}", "f32[] {perm=[]}",       "bool[2,0] {perm=[1,0]}"};
}

}  // namespace tenon::ops
