// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/op.h"

namespace tenon::ops {

TENON_OP(ConvertLayout) {
  op.name = "convert_layout";
  op.summary = "y = x in the physical layout of the output's type";
  op.kind = Kind::movement;
  op.inputs = {{"X", any_types()}};
  op.infer = [](const OpView& view) -> Result<Types> {
    return Types{TensorType{view.type(0).type, view.type(0).shape, {}}};
  };
  op.reference = [](const OpView&, const Operands& in, const Results& out) -> Status {
    out[0]->reals = in[0]->reals;
    out[0]->integers = in[0]->integers;
    return {};
  };
  op.lower = [](const OpView&, Lowering& lowering, int, const Indices& at) {
    return lowering.input(0, at);
  };
  op.examples = {"f32[2,3,4,5]", "f16[N,3]", "i8[2,2]"};
}

}  // namespace tenon::ops
