// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

namespace tenon::conformance {

/// Texts of examples with random shapes, attributes and types, for operators that are not
/// elementwise and whose schedules depend on sizes: matmul, conv, softmax, reductions, transpose.
/// None for others.
std::vector<std::string> random_examples(const std::string& op, int count, std::mt19937_64& random);

}  // namespace tenon::conformance
