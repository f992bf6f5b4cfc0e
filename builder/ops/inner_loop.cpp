// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/inner_loop.h"

#include <cstring>

namespace tenon::ops {
namespace {

constexpr int kLanes = 4;
using Vector [[gnu::vector_size(kLanes * sizeof(double))]] = double;

void load(Vector& vector, const double* from) { std::memcpy(&vector, from, sizeof(Vector)); }

}  // namespace

void add_scaled_rows(double* y, const double* const* x, const double* a, int rows, int64_t count) {
  int64_t i = 0;
  if (rows == 4) {
    const double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    for (; i + kLanes <= count; i += kLanes) {
      Vector sum, v0, v1, v2, v3;
      load(sum, y + i);
      load(v0, x0 + i);
      load(v1, x1 + i);
      load(v2, x2 + i);
      load(v3, x3 + i);
      sum += a[0] * v0 + a[1] * v1 + a[2] * v2 + a[3] * v3;
      std::memcpy(y + i, &sum, sizeof(Vector));
    }
  }
  for (; i < count; ++i) {
    double sum = y[i];
    for (int row = 0; row < rows; ++row) sum += a[row] * x[row][i];
    y[i] = sum;
  }
}

double dot(const double* x, const double* y, int64_t count) {
  Vector sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    for (int j = 0; j < 4; ++j) {
      Vector a, b;
      load(a, x + i + j * kLanes);
      load(b, y + i + j * kLanes);
      sums[j] += a * b;
    }
  }
  const Vector total = sums[0] + sums[1] + (sums[2] + sums[3]);
  double result = total[0] + total[1] + (total[2] + total[3]);
  for (; i < count; ++i) result += x[i] * y[i];
  return result;
}

}  // namespace tenon::ops
