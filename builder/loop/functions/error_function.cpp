// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/functions/function.h"

namespace tenon::loop::functions {
namespace {

// Near 0: erf(x) = x + x (P(x^2)), P on |x| <= 0.92; else 1 - exp(Q(|x|)), Q = log(erfc) on [0.9,
// 4]. Error: at most 2 ULP.
ExprPointer error_function32(const ExprPointer& x) {
  ExprPointer a = absolute(x), z = x * x;
  ExprPointer p = polynomial(
      z, {0.128379225730896, -0.37612634897232056, 0.11283700913190842, -0.026859691366553307,
          0.00520171457901597, -0.0008150050416588783, 8.399778016610071e-05});
  ExprPointer small = fused_multiply_add(a, p, a);
  ExprPointer bounded = binary(ExprOp::minimum, a, number(x, 4));
  ExprPointer q =
      polynomial(bounded, {0.0003495821147225797, -1.1303883790969849, -0.6314834952354431,
                           -0.11049956828355789, 0.02673623338341713, -0.004910780116915703,
                           0.0006433164817281067, -5.4936168453423306e-05, 2.594339321149164e-06,
                           -4.4538964516505075e-08});
  ExprPointer large = number(x, 1) - exponential(q);
  return copy_sign(select(less(a, number(x, 0.92)), small, large), x);
}

// Near 0: erf(x) = x P(x^2), P on |x| <= 1; else 1 - exp(-x^2) Q(t), Q = exp(x^2) erfc(x) in
// t = (x-2)/(x+2) for x in [1, 6].  Error: at most 4 ULP.
ExprPointer error_function64(const ExprPointer& x) {
  ExprPointer a = absolute(x), z = x * x;
  ExprPointer p =
      polynomial(z, {0.1283791670955126, -0.37612638903183754, 0.11283791670955126,
                     -0.026866170645131218, 0.005223977625441674, -0.0008548327023403001,
                     0.00012055332978879483, -1.4925650236967501e-05, 1.6462110782018636e-06,
                     -1.636576864883207e-07, 1.4806027146128752e-08, -1.2277734486795524e-09,
                     9.323723518153027e-11, -6.1967364287877e-12, 2.8067128195611264e-13});
  ExprPointer small = fused_multiply_add(a, p, a);
  ExprPointer bounded = binary(ExprOp::minimum, a, number(x, 6));
  ExprPointer t = (bounded - number(x, 2)) / (bounded + number(x, 2));
  ExprPointer q =
      polynomial(t, {0.25539567631050575, -0.4271858474139584, 0.24165819424246646,
                     -0.07897858101573213, 0.003732892404327764, 0.006997461739200444,
                     -0.0008471432509203844, -0.000981977026567889, 4.355560219515472e-05,
                     0.00017436116545392264, 2.7525480361206068e-05, -2.7579864674305787e-05,
                     -1.396807230177146e-05, 1.392621183618803e-06, 3.789215643758464e-06,
                     1.1780775215625583e-06, -5.322696855655786e-07, -4.215301054238321e-07});
  ExprPointer large = number(x, 1) - exponential(-(bounded * bounded)) * q;
  return copy_sign(select(less(a, number(x, 1)), small, large), x);
}

}  // namespace

ExprPointer error_function(const ExprPointer& x) {
  return x->type == DataType::f32 ? error_function32(x) : error_function64(x);
}

}  // namespace tenon::loop::functions
