// SPDX-License-Identifier: Apache-2.0
// What reductions over a set of axes share.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

/// How one kind of reduction joins elements. `finish` gets the number of elements joined.
struct ReductionSteps {
  /// Reference: over all elements of one output point, in double or int64.
  std::function<double(const std::vector<double>&)> reals;
  std::function<int64_t(const std::vector<int64_t>&, DataType)> integers;
  /// Lowering: what each element contributes, how they join, what becomes of the total.
  std::function<ExprPointer(const ExprPointer&)> prepare;
  loop::Combiner combiner = loop::Combiner::sum;
  std::function<ExprPointer(const ExprPointer& total, const ExprPointer& count)> finish;
};

/// Schema (axes, keepdims), inference, import under `onnx`, reference and lowering.
void define_reduction(OpDefinition& op, const char* onnx, const TypeSet& types,
                      ReductionSteps steps);

/// Type of a reduction over `axes`: they become 1, or go.
TensorType reduced_type(const TensorType& x, const std::vector<int64_t>& axes, bool keepdims);
/// The index into the input at output point `at` and position `r` on the reduced axes.
Indices reduced_source(int rank, const std::vector<int64_t>& axes, bool keepdims, const Indices& at,
                       const Indices& r);
/// Floats, and integers of 32 and 64 bits.
const TypeSet& summed_types();

}  // namespace tenon::ops
