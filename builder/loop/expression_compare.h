// SPDX-License-Identifier: Apache-2.0
// Structural equality of expressions, in time linear in their distinct nodes.
#pragma once

#include "builder/loop/expression.h"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace tenon::loop {

/// Same operations on the same leaves, whether or not the nodes are shared. Reductions are equal
/// when their axes' numbers and extents and all their expressions are.
bool equal(const ExprPointer& a, const ExprPointer& b);

/// Equal expressions have equal hashes; independent of addresses.
size_t hash(const ExprPointer& expression);

/// Maps equal expressions to one representative, so that pointers compare instead of structures.
class ExpressionTable {
 public:
  /// The representative of `root`, made of representatives.
  ExprPointer intern(const ExprPointer& root);

 private:
  size_t shallow_hash(const Expr& expression);
  bool shallow_equal(const Expr& a, const Expr& b) const;
  ExprPointer with_representatives(const ExprPointer& node);

  std::unordered_map<const Expr*, ExprPointer> known_;
  std::unordered_map<const Expr*, size_t> hashes_;
  std::unordered_multimap<size_t, ExprPointer> table_;
  std::vector<ExprPointer> kept_;  // keeps addresses in known_ from being reused

  friend size_t hash(const ExprPointer& expression);
};

}  // namespace tenon::loop
