// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers, for printing.
#pragma once

#include <tenon/network.h>

#include <string>

namespace tenon::tools {

/// Element `index` in row-major order; for types of 8 bits and more.
double element(const TensorData& tensor, int64_t index);
/// The same as text, exact for integers.
std::string element_text(const TensorData& tensor, int64_t index);

/// What a reader wants to know of a tensor at a glance. Minimum, maximum and mean leave NaN out.
struct TensorSummary {
  int64_t count = 0, nan_count = 0;
  double minimum = 0, maximum = 0, mean = 0;
};
TensorSummary summarize(const TensorData& tensor);
int64_t element_count(const std::vector<int64_t>& dims);

}  // namespace tenon::tools
