// SPDX-License-Identifier: Apache-2.0
// What matrix products are defined on.
#pragma once

#include "builder/ops/inner_loop.h"
#include "builder/ops/op.h"

namespace tenon::ops {

/// Floats, and integers of 32 and 64 bits.
inline const TypeSet& contraction_types() {
  static const TypeSet set{DataType::f64, DataType::f32, DataType::f16, DataType::bf16,
                           DataType::i64, DataType::i32, DataType::u64, DataType::u32};
  return set;
}

inline double wrapping_add(double a, double b) { return a + b; }
inline int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline double wrapping_multiply(double a, double b) { return a * b; }
inline int64_t wrapping_multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

/// Sum of x[i] * y[i*stride].
inline double dot_of(const double* x, const double* y, int64_t stride, int64_t count) {
  if (stride == 1) return dot(x, y, count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i] * y[i * stride];
  return sum;
}
inline int64_t dot_of(const int64_t* x, const int64_t* y, int64_t stride, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum = wrapping_add(sum, wrapping_multiply(x[i], y[i * stride]));
  return sum;
}

}  // namespace tenon::ops
