// SPDX-License-Identifier: Apache-2.0
// Index expressions as sums of multiples of opaque terms: the normal form behind folding.
#pragma once

#include "builder/loop/expression.h"

#include <optional>
#include <vector>

namespace tenon::loop {

/// constant + sum of coefficient * term. Terms differ from one another and keep their order of
/// first use; a term is an axis or anything that is no sum, difference or multiple.
struct Linear {
  struct Term {
    ExprPointer term;
    Dim coefficient;
  };
  Dim constant;
  std::vector<Term> terms;

  void add(const ExprPointer& term, const Dim& coefficient);
  void add(const Linear& other, const Dim& factor);
};

/// The normal form of an i64 expression; very large sums keep opaque parts.
Linear linear(const ExprPointer& index);
ExprPointer to_expression(const Linear& sum);

/// The value of an i64 constant or dim.
std::optional<Dim> as_dim(const ExprPointer& index);

}  // namespace tenon::loop
