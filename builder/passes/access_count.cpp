// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/access_count.h"

#include "builder/loop/expression.h"
#include "builder/ops/op.h"

namespace tenon::passes {
namespace {

/// Counts loads of one input; the expressions themselves are thrown away.
class CountingLowering : public ops::Lowering {
 public:
  CountingLowering(const ir::Node& node, int counted, ir::Dim points)
      : node_(node), counted_(counted), points_(std::move(points)) {}

  ir::Dim loads = 0;

  loop::ExprPointer input(int input, const ops::Indices& indices) override {
    if (input == counted_) loads = loads + points_;
    const DataType type = loop::compute_type(node_.input(input)->type.type);
    return loop::load(input, type, indices);
  }

  loop::ExprPointer reduce(loop::Combiner combiner, const std::vector<ir::Dim>& extents,
                           const std::function<loop::ExprPointer(const ops::Indices&)>& body) override {
    auto reduction = std::make_shared<loop::Reduction>();
    reduction->combiner = combiner;
    reduction->values = {inside(extents, [&](const ops::Indices& axes) {
      return std::vector<loop::ExprPointer>{body(axes)};
    })[0]};
    reduction->identities = {loop::constant(reduction->values[0]->type, 0)};
    return loop::reduce(reduction);
  }

  std::vector<loop::ExprPointer> reduce(
      const std::vector<ir::Dim>& extents, const std::vector<loop::ExprPointer>& identities,
      const std::function<std::vector<loop::ExprPointer>(const ops::Indices&)>& body,
      const std::function<std::vector<loop::ExprPointer>(const std::vector<loop::ExprPointer>&,
                                                         const std::vector<loop::ExprPointer>&)>&)
      override {
    auto reduction = std::make_shared<loop::Reduction>();
    reduction->combiner = loop::Combiner::custom;
    reduction->values = inside(extents, body);
    reduction->identities = identities;
    std::vector<loop::ExprPointer> slots;
    for (size_t i = 0; i < identities.size(); ++i) {
      slots.push_back(loop::reduce(reduction, static_cast<int>(i)));
    }
    return slots;
  }

 private:
  /// The body at fresh axes, each of its loads counted once for every point of the extents.
  template <typename Body>
  std::vector<loop::ExprPointer> inside(const std::vector<ir::Dim>& extents, const Body& body) {
    const ir::Dim outside = points_;
    ops::Indices axes;
    for (const ir::Dim& extent : extents) {
      points_ = points_ * extent;
      axes.push_back(loop::axis(next_axis_++));
    }
    std::vector<loop::ExprPointer> values = body(axes);
    points_ = outside;
    return values;
  }

  const ir::Node& node_;
  int counted_;
  ir::Dim points_;
  int next_axis_ = 1000;  // apart from the output's own axes
};

}  // namespace

ir::Dim loads_of(const ir::Node& node, int input) {
  const ir::Shape& shape = node.output()->type.shape;
  CountingLowering lowering(node, input, ir::element_count(shape));
  ops::Indices indices;
  for (size_t i = 0; i < shape.size(); ++i) indices.push_back(loop::axis(static_cast<int>(i)));
  ops::lower_element(node, lowering, 0, indices);
  return lowering.loads;
}

}  // namespace tenon::passes
