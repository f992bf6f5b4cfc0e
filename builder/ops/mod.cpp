// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>

namespace tenon::ops {
namespace {

using loop::ExprOp;

Scalar reference(const OpView& op, DataType type, const Scalar* x) {
  if (is_float(type)) return {std::fmod(x[0].real, x[1].real), 0};
  const int64_t a = x[0].integer, b = x[1].integer;
  if (b == 0) return {};
  if (type == DataType::u64) {
    return {0, static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b))};
  }
  if (b == -1) return {};
  const int64_t rest = a % b;
  const bool follows_divisor = op.integer("fmod") == 0;
  return {0, follows_divisor && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest};
}

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& operands) {
  const ExprPointer &a = operands[0], &b = operands[1];
  const ExprPointer rest = loop::binary(ExprOp::remainder, a, b);
  if (!is_signed_integer(a->type) || op.integer("fmod") != 0) return rest;
  const ExprPointer zero = like(a, 0);
  const ExprPointer differs = loop::binary(ExprOp::bit_xor, less(rest, zero), less(b, zero));
  const ExprPointer moves = loop::binary(ExprOp::bit_and, logical_not(equal(rest, zero)), differs);
  return loop::select(moves, rest + b, rest);
}

}  // namespace

TENON_OP(Mod) {
  op.name = "mod";
  op.summary = "y = a - b*floor(a/b) for integers; with fmod = 1 the sign is that of a";
  op.inputs = {{"A", numbers()}, {"B", numbers()}};
  op.attributes = {{"fmod", int64_t{0}}};
  op.onnx_names = {{"Mod", "", 10, import_as("mod")}};
  define_elementwise(op, reference, scalar);
  const auto infer = op.infer;
  op.infer = [infer](const OpView& view) -> Result<Types> {
    if (is_float(view.type(0).type) && view.integer("fmod") == 0) {
      return Status(ErrorCode::unsupported, "mod: not supported yet: floats with fmod = 0");
    }
    return infer(view);
  };
  op.examples = {"i32[2,3] i32[3]",
                 "i8[5] i8[5]",
                 "u8[5] u8[5]",
                 "u64[3] u64[3]",
                 "i64[5] i64[5] {fmod=1}",
                 "f32[5] f32[5] {fmod=1}",
                 "f64[5] f64[1] {fmod=1}"};
}

}  // namespace tenon::ops
