// SPDX-License-Identifier: Apache-2.0
// What a pass is: a function over the graph that tells how often it rewrote.
#pragma once

#include "builder/ir/graph.h"

#include <tenon/status.h>

#include <cstdint>

namespace tenon::passes {

/// Counts rewrites over the whole build, so that a wrong one is found by bisection (`--stop-after`).
class RewriteBudget {
 public:
  /// `limit` < 0: no limit.
  explicit RewriteBudget(int64_t limit = -1) : limit_(limit) {}
  bool take() {
    if (limit_ >= 0 && used_ >= limit_) return false;
    ++used_;
    return true;
  }
  int64_t used() const { return used_; }

 private:
  int64_t limit_;
  int64_t used_ = 0;
};

/// What a pass may ask for.
struct PassContext {
  RewriteBudget& budget;
  bool strict_numerics = false;
  /// Call before each rewrite; on false the pass must leave the graph as it is and return.
  bool allow_rewrite() const { return budget.take(); }
};

/// The result says whether the graph changed. A pass leaves a graph that ir::verify accepts; dead nodes
/// are removed by the manager.
using PassFunction = Result<bool> (*)(ir::Graph&, const PassContext&);

}  // namespace tenon::passes
