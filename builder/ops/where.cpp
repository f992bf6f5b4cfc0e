// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/broadcast.h"
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

namespace tenon::ops {
namespace {

Result<Types> infer(const OpView& op) {
  if (op.type(1).type != op.type(2).type) return invalid("where: X and Y must be of one type");
  TENON_ASSIGN(Shape shape, broadcast_inputs(op));
  return Types{TensorType{op.type(1).type, std::move(shape), {}}};
}

std::optional<std::vector<Dim>> known(const OpView& op) {
  const auto condition = op.elements(0), x = op.elements(1), y = op.elements(2);
  if (!condition || !x || !y || x->size() != y->size() || condition->size() != x->size()) {
    return std::nullopt;
  }
  std::vector<Dim> result;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!(*condition)[i].is_constant()) return std::nullopt;
    result.push_back((*condition)[i] != Dim(0) ? (*x)[i] : (*y)[i]);
  }
  return result;
}

}  // namespace

TENON_OP(Where) {
  op.name = "where";
  op.summary = "y = condition ? a : b";
  op.inputs = {{"condition", booleans()}, {"X", all_types()}, {"Y", all_types()}};
  op.onnx_names = {{"Where", "", 9, import_as("where")}};
  define_elementwise(
      op, [](const OpView&, DataType, const Scalar* x) { return x[0].integer != 0 ? x[1] : x[2]; },
      [](const OpView&, const std::vector<ExprPointer>& x) {
        return loop::select(x[0], x[1], x[2]);
      });
  op.infer = infer;
  op.known_elements = known;
  op.examples = {"bool[2,3] f32[2,3] f32[3]", "bool[3] i64[3] i64[]", "bool[2,1] f16[1,3] f16[2,3]",
                 "bool[4] bool[4] bool[4]", "bool[N] f32[N] f32[]"};
}

}  // namespace tenon::ops
