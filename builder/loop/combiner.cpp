// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/combiner.h"

#include <limits>

namespace tenon::loop {

ExprPointer identity(Combiner combiner, DataType type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (combiner) {
    case Combiner::sum:
      return constant(type, 0);
    case Combiner::product:
      return constant(type, 1);
    case Combiner::minimum:
      return constant(type, kInfinity);
    case Combiner::maximum:
      return constant(type, -kInfinity);
    case Combiner::bit_and:
      return is_float(type) ? nullptr : integer_constant(type, -1);
    case Combiner::bit_or:
      return is_float(type) ? nullptr : integer_constant(type, 0);
    case Combiner::custom:
      return nullptr;
  }
  return nullptr;
}

const char* to_string(Combiner combiner) {
  static constexpr const char* names[kCombinerCount] = {"sum",     "product", "minimum", "maximum",
                                                        "bit_and", "bit_or",  "custom"};
  return names[static_cast<int>(combiner)];
}

ExprOp operation(Combiner combiner) {
  switch (combiner) {
    case Combiner::product:
      return ExprOp::multiply;
    case Combiner::minimum:
      return ExprOp::minimum;
    case Combiner::maximum:
      return ExprOp::maximum;
    case Combiner::bit_and:
      return ExprOp::bit_and;
    case Combiner::bit_or:
      return ExprOp::bit_or;
    default:
      return ExprOp::add;
  }
}

}  // namespace tenon::loop
