// SPDX-License-Identifier: Apache-2.0
// When the loads of an expression may be performed.
#pragma once

#include "builder/loop/expression.h"

#include <tenon/status.h>

#include <map>
#include <set>
#include <vector>

namespace tenon::codegen {

/// Conditions under which loads below selects are performed. A load that several paths reach is
/// performed when any of them is taken, so that every node is emitted once.
class Guards {
 public:
  explicit Guards(const std::vector<loop::ExprPointer>& roots);

  /// The condition of a load; null: always.
  const loop::ExprPointer& of(const loop::Expr* load) const;
  /// Whether values of this node hold only where some guard does.
  bool tainted(const loop::Expr* node) const { return tainted_.count(node) != 0; }

 private:
  void order(const loop::ExprPointer& node);
  void reach(const loop::Expr* node, const loop::ExprPointer& condition);
  /// `known` or `condition`, without terms that others imply; null: always.
  loop::ExprPointer either(const loop::ExprPointer& known, loop::ExprPointer condition);
  loop::ExprPointer both(const loop::ExprPointer& a, const loop::ExprPointer& b);
  bool implies(const loop::ExprPointer& a, const loop::ExprPointer& b);
  loop::ExprPointer complement(const loop::ExprPointer& condition);

  std::vector<loop::ExprPointer> ordered_;  // operands first
  std::set<const loop::Expr*> seen_, loads_below_, tainted_, reached_;
  std::map<const loop::Expr*, loop::ExprPointer> conditions_;  // of reached nodes; null: always
  std::map<const loop::Expr*, loop::ExprPointer> complements_;
  std::map<std::pair<const loop::Expr*, const loop::Expr*>, loop::ExprPointer> conjunctions_;
  std::map<std::pair<const loop::Expr*, const loop::Expr*>, bool> implications_;
  std::vector<loop::ExprPointer> kept_;  // so that no address above is used twice
};

}  // namespace tenon::codegen
