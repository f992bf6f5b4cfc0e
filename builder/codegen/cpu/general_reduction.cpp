// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/general_emitter.h"

namespace tenon::codegen {

using loop::Combiner;
using loop::Expr;
using loop::ExprOp;
using loop::Reduction;
using Value = llvm::Value;

namespace {

constexpr int64_t kUnrolledSteps = 16;

bool short_and_constant(const Reduction& reduction) {
  int64_t steps = 1;
  for (const auto& axis : reduction.axes) {
    if (!axis.extent.is_constant() || axis.extent.constant() > kUnrolledSteps) return false;
    steps *= axis.extent.constant();
  }
  return steps <= kUnrolledSteps;
}

bool is_product(const Reduction& reduction, size_t slot) {
  const auto& value = reduction.values[slot];
  return reduction.combiner == Combiner::sum && value->op == ExprOp::multiply &&
         (value->type == DataType::f32 || value->type == DataType::f64);
}

}  // namespace

/// Values of all slots at `point`. `axis`: the reduction axis that lanes run along, or -1: then
/// lanes, if any, are points of the grid or of an inner axis, each with its own sum.
GeneralEmitter::Values GeneralEmitter::reduce(const loop::Stage& stage, const Point& point,
                                              int axis) {
  const auto& reduction = *stage.reduction;
  ExpressionEmitter outside(context_, point, stage_source());
  bool varies = false;
  for (const auto& value : reduction.values) varies |= outside.varies(value);
  bool along = axis >= 0;
  auto state = accumulators(reduction, along ? lanes_ : varies ? point.lanes : 1, outside);
  auto rest = accumulators(reduction, 1, outside);

  reduction_loops(
      reduction, 0, axis, !along && short_and_constant(reduction), point, [&](const Point& inner) {
        if (!along) return accumulate(reduction, state, inner, false);
        loop::Dim extent = 1;
        for (const auto& candidate : reduction.axes) {
          if (candidate.axis == axis) extent = candidate.extent;
        }
        lane_loop(context_.index(0), context_.dim(extent), false, [&](Value* at, int lanes, Value* mask) {
          Point lane_point = inner;
          lane_point.axes[axis] = at;
          lane_point.vector_axis = axis;
          lane_point.lanes = lanes;
          lane_point.mask = mask;
          accumulate(reduction, lanes == 1 ? rest : state, lane_point, mask != nullptr);
        });
      });

  auto values = load(state);
  if (!along) return values;
  auto others = load(rest);
  Arithmetic arithmetic(builder_);
  for (size_t slot = 0; slot < values.size(); ++slot) {
    values[slot] = across_lanes(reduction, static_cast<int>(slot), values[slot]);
    if (scalar_rest_) {
      values[slot] = arithmetic.combine(reduction.combiner, reduction.values[slot]->type,
                                        values[slot], others[slot]);
    }
  }
  return values;
}

GeneralEmitter::Accumulators GeneralEmitter::accumulators(const Reduction& reduction, int lanes,
                                                          ExpressionEmitter& emitter) {
  Accumulators state;
  for (const auto& identity : reduction.identities) {
    Value* first = emitter.emit_base(identity);
    if (lanes > 1) first = builder_.CreateVectorSplat(static_cast<unsigned>(lanes), first);
    state.slots.push_back(context_.slot(first->getType(), "accumulator"));
    builder_.CreateStore(first, state.slots.back());
  }
  return state;
}

GeneralEmitter::Values GeneralEmitter::load(const Accumulators& state) {
  Values values;
  for (auto* slot : state.slots) {
    values.push_back(builder_.CreateLoad(slot->getAllocatedType(), slot));
  }
  return values;
}

void GeneralEmitter::reduction_loops(const Reduction& reduction, size_t position, int skip,
                                     bool unroll, const Point& point,
                                     const std::function<void(const Point&)>& body) {
  if (position == reduction.axes.size()) return body(point);
  const auto& axis = reduction.axes[position];
  auto step = [&](Value* at) {
    Point inner = point;
    inner.axes[axis.axis] = at;
    reduction_loops(reduction, position + 1, skip, unroll, inner, body);
  };
  if (axis.axis == skip) {
    reduction_loops(reduction, position + 1, skip, unroll, point, body);
  } else if (unroll) {
    for (int64_t at = 0; at < axis.extent.constant(); ++at) step(context_.index(at));
  } else {
    context_.loop(context_.index(0), context_.dim(axis.extent), 1, "reduce", step);
  }
}

void GeneralEmitter::accumulate(const Reduction& reduction, const Accumulators& state,
                                const Point& point, bool mask_lanes) {
  ExpressionEmitter emitter(context_, point, stage_source());
  auto shape = [&](Value* value, size_t slot) {
    return state.slots[slot]->getAllocatedType()->isVectorTy() ? emitter.splat(value) : value;
  };
  // Products join their sum in one instruction.
  std::vector<loop::ExprPointer> roots;
  for (size_t slot = 0; slot < reduction.values.size(); ++slot) {
    const auto& value = reduction.values[slot];
    if (is_product(reduction, slot)) {
      roots.insert(roots.end(), value->args.begin(), value->args.end());
    } else {
      roots.push_back(value);
    }
  }
  auto emitted = emitter.emit(roots);
  if (context_.error().code() != ErrorCode::ok) return;
  auto old = load(state);
  Values next;
  if (reduction.combiner == Combiner::custom) {
    for (size_t slot = 0; slot < emitted.size(); ++slot) emitted[slot] = shape(emitted[slot], slot);
    next = join(reduction, point, old, emitted);
    for (size_t slot = 0; slot < next.size(); ++slot) next[slot] = shape(next[slot], slot);
  } else {
    size_t at = 0;
    for (size_t slot = 0; slot < old.size(); ++slot) {
      auto type = reduction.values[slot]->type;
      auto* first = shape(emitted[at++], slot);
      if (is_product(reduction, slot)) {
        auto* second = shape(emitted[at++], slot);
        next.push_back(emitter.arithmetic().fused_multiply_add(type, first, second, old[slot]));
      } else {
        next.push_back(emitter.arithmetic().combine(reduction.combiner, type, old[slot], first));
      }
    }
  }
  for (size_t slot = 0; slot < next.size(); ++slot) {
    auto* value = next[slot];
    if (mask_lanes) value = builder_.CreateSelect(point.mask, value, old[slot]);
    builder_.CreateStore(value, state.slots[slot]);
  }
}

GeneralEmitter::Values GeneralEmitter::join(const Reduction& reduction, const Point& point,
                                            const Values& state, const Values& next) {
  auto pick = [&](const Expr& node) {
    return (node.id == -1 ? state : next)[static_cast<size_t>(node.slot)];
  };
  StageSource source;
  source.varies = [pick](const Expr& node) { return pick(node)->getType()->isVectorTy(); };
  source.value = [pick](const Expr& node, ExpressionEmitter&) { return pick(node); };
  ExpressionEmitter emitter(context_, point, source);
  return emitter.emit(reduction.joined);
}

Value* GeneralEmitter::across_lanes(const Reduction& reduction, int slot, Value* vector) {
  // Halves fold onto each other, in an order that only the number of lanes decides.
  Arithmetic arithmetic(builder_);
  auto type = reduction.values[static_cast<size_t>(slot)]->type;
  auto lanes_of = [](Value* value) {
    return static_cast<int>(llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements());
  };
  Value* odd = nullptr;
  auto part = [&](Value* value, int begin, int count) {
    std::vector<int> lanes;
    for (int lane = 0; lane < count; ++lane) lanes.push_back(begin + lane);
    return builder_.CreateShuffleVector(value, lanes);
  };
  while (lanes_of(vector) > 1) {
    int half = lanes_of(vector) / 2;
    if (lanes_of(vector) % 2) {
      auto* last = builder_.CreateExtractElement(vector, static_cast<uint64_t>(2 * half));
      odd = odd ? arithmetic.combine(reduction.combiner, type, odd, last) : last;
    }
    vector = arithmetic.combine(reduction.combiner, type, part(vector, 0, half),
                                part(vector, half, half));
  }
  auto* result = builder_.CreateExtractElement(vector, uint64_t{0});
  return odd ? arithmetic.combine(reduction.combiner, type, result, odd) : result;
}

}  // namespace tenon::codegen
