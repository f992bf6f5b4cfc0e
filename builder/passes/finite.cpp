// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/finite.h"

#include "builder/ops/op.h"

#include <algorithm>
#include <cmath>

namespace tenon::passes {

bool stay_finite(const std::vector<double>& numbers, DataType type) {
  return std::all_of(numbers.begin(), numbers.end(), [type](double number) {
    return std::isfinite(ops::round_to_type(type, number));
  });
}

}  // namespace tenon::passes
