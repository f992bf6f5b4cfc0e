// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

namespace tenon::ops {
namespace {

const TypeSet& unsigned_types() {
  static const TypeSet set{DataType::u64, DataType::u32, DataType::u16, DataType::u8};
  return set;
}

Scalar reference(const OpView& op, DataType type, const Scalar* x) {
  const auto value = static_cast<uint64_t>(x[0].integer), by = static_cast<uint64_t>(x[1].integer);
  if (by >= static_cast<uint64_t>(bit_width(type))) return {};
  const uint64_t result = op.text("direction") == "LEFT" ? value << by : value >> by;
  return {0, static_cast<int64_t>(result)};
}

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& x) {
  const bool left = op.text("direction") == "LEFT";
  return loop::binary(left ? loop::ExprOp::shift_left : loop::ExprOp::shift_right, x[0], x[1]);
}

}  // namespace

TENON_OP(BitShift) {
  op.name = "bit_shift";
  op.summary = "y = a * 2^b or a / 2^b, by direction; 0 when b is the width or more";
  op.inputs = {{"X", unsigned_types()}, {"Y", unsigned_types()}};
  op.attributes = {{"direction", std::string(), true}};
  op.onnx_names = {{"BitShift", "", 11, import_as("bit_shift")}};
  define_elementwise(op, reference, scalar);
  const auto infer = op.infer;
  op.infer = [infer](const OpView& view) -> Result<Types> {
    const std::string direction = view.text("direction");
    if (direction != "LEFT" && direction != "RIGHT") {
      return invalid("bit_shift: direction \"" + direction + "\" is neither LEFT nor RIGHT");
    }
    return infer(view);
  };
  op.examples = {"u8[5] u8[5]=[0,1,3,7,8] {direction=\"LEFT\"}",
                 "u32[2,2] u32[2]=[1,31] {direction=\"RIGHT\"}",
                 "u64[3] u64[3]=[0,63,64] {direction=\"RIGHT\"}"};
}

}  // namespace tenon::ops
