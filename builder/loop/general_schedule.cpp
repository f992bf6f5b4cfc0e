// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/contraction.h"
#include "builder/loop/contraction_operand.h"
#include "builder/loop/rewrite.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tenon::loop {

namespace {

/// Element operations of a work item: enough to be worth a thread, few enough to stay in L1.
constexpr double kItemWork = 16384;
constexpr double kLeastItemWork = 2048;
constexpr double kWantedItems = 64;
/// A gather or a strided access of 16 lanes, in accesses of unit stride.
constexpr double kGatherCost = 24;
/// Every second element: two accesses and a shuffle.
constexpr double kSecondCost = 2.5;

int64_t extent_of(const Kernel& kernel, int number) {
  return std::max<int64_t>(estimate(kernel.axes[number].extent), 1);
}

/// One load or store: how far it moves along each axis.
struct Access {
  std::optional<Affine> offset;
  size_t stage = 0;
};

struct Survey {
  std::vector<Access> accesses;
  std::vector<std::vector<int>> own_axes;  ///< by stage: inner and reduction axes
  std::vector<double> weight;              ///< by stage: points of own_axes
  int widest_bits = 8;
  int operations = 0;
  bool functions = false;
  bool reductions = false;
};

void look(const Kernel& kernel, const ExprPointer& root, size_t stage, Survey& survey) {
  survey.widest_bits = std::max(survey.widest_bits, bit_width(compute_type(root->type)));
  visit(root, [&](const ExprPointer& node) {
    if (node->op == ExprOp::load) {
      survey.widest_bits = std::max(survey.widest_bits, bit_width(compute_type(node->type)));
      survey.accesses.push_back({element_offset(kernel.buffers[node->id], node->args), stage});
    }
    survey.functions |= node->op >= ExprOp::exp;
    survey.operations += node->op > ExprOp::reduce && node->type != DataType::i64;
  });
}

Survey survey_kernel(const Kernel& kernel) {
  Survey survey;
  for (size_t s = 0; s < kernel.stages.size(); ++s) {
    const Stage& stage = kernel.stages[s];
    std::vector<int> own = stage.inner_axes;
    if (stage.reduction) {
      survey.reductions = true;
      for (const Reduction::ReduceAxis& reduced : stage.reduction->axes)
        own.push_back(reduced.axis);
      for (const ExprPointer& value : stage.reduction->values) look(kernel, value, s, survey);
    }
    for (const ExprPointer& value : stage.values) look(kernel, value, s, survey);
    if (stage.buffer >= 0) {
      survey.accesses.push_back({element_offset(kernel.buffers[stage.buffer], stage.indices), s});
    }
    double weight = 1;
    for (const int number : own) weight *= static_cast<double>(extent_of(kernel, number));
    survey.own_axes.push_back(std::move(own));
    survey.weight.push_back(weight);
  }
  return survey;
}

/// Cost of one vector's access when lanes run along an axis.
double access_cost(const Access& access, int number, int lanes) {
  const double gather = kGatherCost * std::max(lanes / 16.0, 0.5);
  if (!access.offset) return gather;
  const Dim stride = access.offset->coefficient(number);
  if (stride == Dim(0)) return 0.3;
  if (stride == Dim(1)) return 1;
  return stride == Dim(2) ? kSecondCost : gather;
}

/// Vectors needed for an axis of this length, relative to its elements.
double waste(int64_t extent, int lanes) {
  const int64_t padded = (extent + lanes - 1) / lanes * lanes;
  return static_cast<double>(padded) / static_cast<double>(extent);
}

double grid_axis_cost(const Kernel& kernel, const Survey& survey, int number, int lanes) {
  double cost = 0;
  for (const Access& access : survey.accesses) {
    cost += survey.weight[access.stage] * access_cost(access, number, lanes);
  }
  for (const double weight : survey.weight) cost += weight * 0.5;
  return cost * waste(extent_of(kernel, number), lanes);
}

/// Lanes along each stage's own axes: the cost, and the axis of the heaviest stage.
std::pair<double, int> own_axis_cost(const Kernel& kernel, const Survey& survey, int lanes) {
  double cost = 0;
  double heaviest = 0;
  int chosen = -1;
  for (size_t s = 0; s < survey.own_axes.size(); ++s) {
    double best = survey.weight[s] * lanes;
    int best_axis = -1;
    for (const int number : survey.own_axes[s]) {
      double here = 0.5;
      for (const Access& access : survey.accesses) {
        if (access.stage == s) here += access_cost(access, number, lanes);
      }
      here *= survey.weight[s] * waste(extent_of(kernel, number), lanes);
      if (here <= best) {
        best = here;
        best_axis = number;
      }
    }
    cost += best;
    if (best_axis >= 0 && survey.weight[s] >= heaviest) {
      heaviest = survey.weight[s];
      chosen = best_axis;
    }
  }
  return {cost, chosen};
}

/// As many vectors at once as registers allow, and no more than the axis has. A power of two: LLVM
/// splits other widths badly, and the rest of a row runs in smaller ones.
int choose_elements(const Survey& survey, const Dim& extent, int lanes, int registers) {
  int most = registers / 4;
  if (survey.functions || survey.reductions || survey.operations > 40) most /= 2;
  int64_t vectors = most;
  if (extent.is_constant()) {
    vectors = std::clamp<int64_t>((extent.constant() + lanes - 1) / lanes, 1, most);
  }
  int count = 1;
  while (count * 2 <= vectors) count *= 2;
  return count * lanes;
}

void choose_tile(const Kernel& kernel, const Survey& survey, Schedule& schedule) {
  schedule.tile.assign(kernel.grid_rank, 1);
  double per_point = 0;
  for (const double weight : survey.weight) per_point += weight;
  if (survey.functions) per_point *= 4;
  double points = 1;
  for (int number = 0; number < kernel.grid_rank; ++number) {
    points *= static_cast<double>(extent_of(kernel, number));
  }
  const double work = std::clamp(points * per_point / kWantedItems, kLeastItemWork, kItemWork);
  int64_t left = std::max<int64_t>(static_cast<int64_t>(work / per_point), 1);
  const auto take = [&](int number, int64_t step) {
    const int64_t extent = extent_of(kernel, number);
    // Within a quarter of the whole axis, the whole axis: no small last item.
    int64_t part = std::max(left / step * step, step);
    if (part * 5 >= extent * 4) part = (extent + step - 1) / step * step;
    schedule.tile[number] = part;
    left = std::max<int64_t>(left / std::min(part, extent), 1);
  };
  const bool grid_vector = schedule.vector_axis >= 0 && schedule.vector_axis < kernel.grid_rank;
  if (grid_vector) take(schedule.vector_axis, schedule.vector_elements);
  for (int number = kernel.grid_rank - 1; number >= 0; --number) {
    if (!(grid_vector && number == schedule.vector_axis)) take(number, 1);
  }
}

}  // namespace

Schedule general_schedule(const Kernel& kernel, const VectorUnit& unit) {
  const Survey survey = survey_kernel(kernel);
  const int lanes = unit.bits / survey.widest_bits;
  double best = std::numeric_limits<double>::infinity();
  Schedule schedule;
  for (int number = kernel.grid_rank - 1; number >= 0; --number) {
    const double cost = grid_axis_cost(kernel, survey, number, lanes);
    if (cost < best) {
      best = cost;
      schedule.vector_axis = number;
    }
  }
  const auto [own_cost, own_axis] = own_axis_cost(kernel, survey, lanes);
  if (own_axis >= 0 && own_cost < best) schedule.vector_axis = own_axis;
  if (schedule.vector_axis >= 0) {
    schedule.vector_elements =
        choose_elements(survey, kernel.axes[schedule.vector_axis].extent, lanes, unit.registers);
  }
  choose_tile(kernel, survey, schedule);
  return schedule;
}

}  // namespace tenon::loop
