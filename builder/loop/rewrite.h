// SPDX-License-Identifier: Apache-2.0
// Visiting and rebuilding expressions, with sharing kept.
#pragma once

#include "builder/loop/kernel.h"

#include <functional>
#include <map>

namespace tenon::loop {

/// Calls `visit` once for each distinct subexpression, operands first. Enters neither reductions' bodies.
void visit(const ExprPointer& root, const std::function<void(const ExprPointer&)>& visit);

/// Rebuilds bottom-up: `change` gets a node whose operands are rebuilt, and returns it or another.
ExprPointer rewrite(const ExprPointer& root,
                    const std::function<ExprPointer(const ExprPointer&)>& change);

/// The same operation on other operands, through the makers, so that it folds.
ExprPointer with_operands(const Expr& node, std::vector<ExprPointer> args);

/// Replaces axes by index expressions, in the bodies of reductions too.
ExprPointer substitute_axes(const ExprPointer& root, const std::map<int, ExprPointer>& replacements);

/// Applies `change` (as in rewrite) to every expression of a kernel.
void rewrite_kernel(Kernel& kernel, const std::function<ExprPointer(const ExprPointer&)>& change);

/// Merges neighbouring axes whose loads and stores all advance as one: fewer, longer loops. Axes of
/// extent 1 vanish. Grid axes merge with grid axes, inner with inner of the same stage, reduction axes
/// within their reduction. Gives how many axes vanished. Buffers become views with merged dims.
int collapse_axes(Kernel& kernel);

}  // namespace tenon::loop
