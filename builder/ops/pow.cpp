// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/import.h"

#include <cmath>

namespace tenon::ops {
namespace {

using loop::ExprOp;

const TypeSet& bases() {
  static const TypeSet set{DataType::f64,  DataType::f32, DataType::f16,
                           DataType::bf16, DataType::i64, DataType::i32};
  return set;
}

/// Wraps; for a negative exponent the part of 1/x^-e that is an integer.
int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return static_cast<int64_t>(result);
}

int64_t saturate(DataType type, double value) {
  if (std::isnan(value)) return 0;
  const double limit = std::ldexp(1.0, bit_width(type) - 1);
  if (value < limit && value >= -limit) return static_cast<int64_t>(value);
  return value < 0 ? INT64_MIN >> (64 - bit_width(type)) : INT64_MAX >> (64 - bit_width(type));
}

Scalar reference(const OpView& op, DataType type, const Scalar* x) {
  const bool integer_exponent = !is_float(op.type(1).type);
  if (!is_float(type) && integer_exponent) return {0, integer_power(x[0].integer, x[1].integer)};
  const double base = is_float(type) ? x[0].real : static_cast<double>(x[0].integer);
  const double exponent = integer_exponent ? static_cast<double>(x[1].integer) : x[1].real;
  const double power = std::pow(base, exponent);
  return {power, is_float(type) ? 0 : saturate(type, power)};
}

ExprPointer lower_integer_power(const ExprPointer& base, const ExprPointer& exponent) {
  const ExprPointer one = like(base, 1), zero = like(base, 0);
  const ExprPointer e = loop::cast(base->type, exponent);
  ExprPointer result = one, square = base;
  for (int bit = 0; bit < bit_width(base->type) - 1; ++bit) {
    const auto shifted = loop::binary(ExprOp::shift_right, e, like(e, bit));
    const auto set = equal(loop::binary(ExprOp::bit_and, shifted, like(e, 1)), like(e, 1));
    result = loop::select(set, result * square, result);
    square = square * square;
  }
  const auto odd = equal(loop::binary(ExprOp::bit_and, e, like(e, 1)), like(e, 1));
  const auto of_minus_one = loop::select(odd, like(base, -1), one);
  const auto below = loop::select(equal(base, one), one,
                                  loop::select(equal(base, like(base, -1)), of_minus_one, zero));
  return loop::select(less(e, like(e, 0)), below, result);
}

ExprPointer scalar(const OpView&, const std::vector<ExprPointer>& operands) {
  const ExprPointer &base = operands[0], &exponent = operands[1];
  if (is_float(base->type)) {
    return loop::binary(ExprOp::power, base, loop::cast(base->type, exponent));
  }
  if (!is_float(exponent->type)) return lower_integer_power(base, exponent);
  const auto power = loop::binary(ExprOp::power, loop::cast(DataType::f64, base),
                                  loop::cast(DataType::f64, exponent));
  // Powers of integers that are integers must not fall below them: 3^6 is 729, not 728.99...
  const ExprPointer nearest = loop::unary(ExprOp::round_even, power);
  const ExprPointer distance = loop::unary(ExprOp::absolute, power - nearest);
  const ExprPointer allowed = loop::unary(ExprOp::absolute, nearest) * like(power, 1e-14);
  return loop::cast(base->type, loop::select(less(allowed, distance), power, nearest));
}

/// pow(x, 2) => x * x
Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (node.inputs.size() == 2 && node.has(0) && node.has(1)) {
    const TensorData* exponent = ir::Graph::constant_of(node.inputs[1]);
    const int rank = node.inputs[0]->type.rank();
    if (exponent && static_cast<int>(exponent->dims.size()) <= rank) {
      const ReferenceTensor value = to_reference(*exponent);
      const bool two = value.count() == 1 &&
                       (is_float(value.type) ? value.reals[0] == 2 : value.integers[0] == 2);
      if (two) return importer.node("mul", {node.inputs[0], node.inputs[0]});
    }
  }
  return importer.node("pow", node.inputs);
}

}  // namespace

TENON_OP(Pow) {
  op.name = "pow";
  op.summary = "y = a to the power b, in the type of a";
  op.inputs = {{"X", bases()}, {"Y", numbers()}};
  op.onnx_names = {{"Pow", "", 7, import}};
  define_elementwise(op, reference, scalar);
  op.examples = {
      "f32[5]=[0.5,1,2,3,4] f32[5]", "f64[3]=[0.5,1,2] f64[]",  "i32[2,3] i32[3]",
      "i64[3] i64[3]=[0,5,63]",      "f32[2,3] i64[3]=[0,1,3]", "f16[3]=[0.5,1,2] f16[3]",
      "i32[5]=[3,4,2,-2,10] f32[5]=[6,0.5,-1,3,9]", "i64[4]=[3,7,9,5] f64[4]=[6,11,0.5,40]"};
}

}  // namespace tenon::ops
