// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

namespace tenon::loop::functions {
namespace {

struct Format {
  DataType integer;
  int mantissa_bits, bias;
  int64_t magic_bits;      // of 1.5 * 2^mantissa_bits
  double magic;            // adding it leaves the nearest integer in the low bits
  double lowest, highest;  // beyond, the result is 0 or infinity
  double ln2_high, ln2_low;
  std::vector<double> coefficients;  // (exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2
};

const Format& format(DataType type) {
  static const Format f32 = {
      DataType::i32,
      23,
      127,
      0x4b400000,
      0x1.8p23,
      -104,
      89,
      0.693145751953125,
      1.4286068203094173e-06,
      {0.5, 0.16666573286056519, 0.04166654869914055, 0.008363774046301842, 0.0013926926767453551}};
  static const Format f64 = {
      DataType::i64,
      52,
      1023,
      0x4338000000000000,
      0x1.8p52,
      -746,
      710,
      0x1.62e42fefp-1,
      0x1.473de6af278edp-34,
      {0.5, 0.1666666666666667, 0.04166666666666667, 0.008333333333325544, 0.0013888888888883327,
       0.00019841269876864356, 2.4801587327007187e-05, 2.755725283351691e-06, 2.75572718102198e-07,
       2.5106274733573296e-08, 2.0915442297780116e-09}};
  return type == DataType::f32 ? f32 : f64;
}

}  // namespace

// exp(x) = 2^n * exp(r), n = round(x / ln 2), r = x - n ln 2.  Error: at most 1 ULP.
// The power of two is applied in halves, so that subnormal results and the largest ones come out
// right.
ExprPointer exponential(const ExprPointer& x) {
  const Format& f = format(x->type);
  ExprPointer bounded = binary(ExprOp::minimum, binary(ExprOp::maximum, x, number(x, f.lowest)),
                               number(x, f.highest));
  ExprPointer shifted =
      fused_multiply_add(bounded, number(x, 1.4426950408889634), number(x, f.magic));
  ExprPointer n = shifted - number(x, f.magic);
  ExprPointer r = fused_multiply_add(n, number(x, -f.ln2_high), bounded);
  r = fused_multiply_add(n, number(x, -f.ln2_low), r);
  ExprPointer tail = fused_multiply_add(r * r, polynomial(r, f.coefficients), r);
  ExprPointer mantissa = tail + number(x, 1);

  ExprPointer exponent = bitcast(f.integer, shifted) - integer_constant(f.integer, f.magic_bits);
  ExprPointer half = binary(ExprOp::shift_right, exponent, integer_constant(f.integer, 1));
  auto power_of_two = [&](const ExprPointer& e) {
    ExprPointer biased = e + integer_constant(f.integer, f.bias);
    return bitcast(
        x->type, binary(ExprOp::shift_left, biased, integer_constant(f.integer, f.mantissa_bits)));
  };
  return mantissa * power_of_two(half) * power_of_two(exponent - half);
}

}  // namespace tenon::loop::functions
