// SPDX-License-Identifier: Apache-2.0
// The inner loops of contractions' references, in vectors that every compiler knows.
#pragma once

#include <cstdint>

namespace tenon::ops {

/// y[i] += a[0]*x[0][i] + ... + a[rows-1]*x[rows-1][i], for up to four rows.
void add_scaled_rows(double* y, const double* const* x, const double* a, int rows, int64_t count);
/// Sum of x[i]*y[i].
double dot(const double* x, const double* y, int64_t count);

}  // namespace tenon::ops
