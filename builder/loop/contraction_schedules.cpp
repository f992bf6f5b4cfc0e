// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/contraction.h"
#include "builder/loop/contraction_operand.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tenon::loop {

namespace {

/// Multiply-adds below which a work item costs more to hand out than to compute.
constexpr double kItemWork = 250000;
/// Work items that keep this many threads evenly busy.
constexpr double kWantedItems = 64;
constexpr int kSchedules = 4;

/// Extents that decide the shape of the register tile; symbols are guessed.
struct Problem {
  int64_t columns = 1;
  double depth = 1;
  double points = 1;  ///< grid points, columns excluded
  int lanes = 8;
  int registers = 16;
};

int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

/// Cycles of one step of the depth for a tile: multiply-adds, or loads, or the latency of short
/// chains.
double tile_cycles(double rows, double vectors) {
  return std::max({rows * vectors / 2, (rows + vectors) / 2, 1.0});
}

/// Most rows that leave registers for one row of the vector operand and one broadcast element.
int most_rows(int vectors, int registers, bool constant_stride) {
  const int fitting = (registers - vectors - 1) / vectors;
  return std::min(fitting, constant_stride ? 14 : 12);
}

/// Rows that divide an extent into equal tiles; all of `most` when the extent is not known.
int even_rows(const Dim& extent, int most) {
  if (!extent.is_constant()) return most;
  const int64_t length = std::max<int64_t>(extent.constant(), 1);
  const int64_t tiles = (length + most - 1) / most;
  return static_cast<int>((length + tiles - 1) / tiles);
}

/// Cycles of all tiles along the rows and columns, for one point of the other axes.
double plane_cycles(const Problem& problem, int64_t row_extent, int rows, int vectors) {
  const int64_t width = static_cast<int64_t>(vectors) * problem.lanes;
  const int64_t panels = problem.columns / width;
  const int64_t rest = problem.columns % width;
  const double rest_vectors = static_cast<double>(round_up(rest, problem.lanes) / problem.lanes);
  double cycles = 0;
  const auto add = [&](double count, int64_t height) {
    cycles +=
        count * static_cast<double>(panels) * tile_cycles(static_cast<double>(height), vectors);
    if (rest > 0) cycles += count * tile_cycles(static_cast<double>(height), rest_vectors);
  };
  add(static_cast<double>(row_extent / rows), rows);
  if (row_extent % rows > 0) add(1, row_extent % rows);
  return cycles;
}

struct Candidate {
  int row_axis = -1;
  int rows = 1;
  int vectors = 1;
  double cost = 0;  ///< cycles per multiply-add
};

/// Widens the item along the row axis, then along outer row axes, while items are small and plenty.
void choose_tile(const Kernel& kernel, const Contraction& contraction, const Problem& problem,
                 Schedule& schedule) {
  schedule.tile.assign(kernel.grid_rank, 1);
  schedule.tile[contraction.column] = schedule.vector_elements;
  double work = schedule.rows * static_cast<double>(schedule.vector_elements) * problem.depth;
  double items = problem.points / schedule.rows *
                 std::ceil(static_cast<double>(problem.columns) / schedule.vector_elements);
  const auto widen = [&](int number, int64_t step) {
    const int64_t extent = std::max<int64_t>(estimate(kernel.axes[number].extent), 1);
    const double by_work = kItemWork / work;
    const double by_items = items / kWantedItems;
    const int64_t most = (extent + step - 1) / step;
    const int64_t factor = std::clamp(
        static_cast<int64_t>(std::ceil(std::min(by_work, by_items) - 0.01)), int64_t{1}, most);
    // Equal items along the axis.
    const int64_t parts = (most + factor - 1) / factor;
    const int64_t even = (most + parts - 1) / parts;
    schedule.tile[number] = even * step;
    work *= static_cast<double>(even);
    items /= static_cast<double>(even);
  };
  if (schedule.row_axis >= 0) widen(schedule.row_axis, schedule.rows);
  for (auto number = contraction.rows.rbegin(); number != contraction.rows.rend(); ++number) {
    if (*number != schedule.row_axis) widen(*number, 1);
  }
}

}  // namespace

std::vector<Schedule> contraction_schedules(const Kernel& kernel, const Contraction& contraction,
                                            const VectorUnit& unit) {
  Problem problem;
  const DataType type = kernel.stages[0].reduction->type(0);
  problem.lanes = unit.bits / bit_width(type);
  problem.registers = unit.registers;
  problem.columns = std::max<int64_t>(estimate(kernel.axes[contraction.column].extent), 1);
  for (const int number : contraction.depth) {
    for (const Reduction::ReduceAxis& reduced : kernel.stages[0].reduction->axes) {
      if (reduced.axis == number) {
        problem.depth *= static_cast<double>(std::max<int64_t>(estimate(reduced.extent), 1));
      }
    }
  }
  for (int number = 0; number < kernel.grid_rank; ++number) {
    if (number == contraction.column) continue;
    problem.points *=
        static_cast<double>(std::max<int64_t>(estimate(kernel.axes[number].extent), 1));
  }

  const std::optional<OperandMap> broadcast = operand_map(kernel, contraction.broadcast);
  std::vector<int> row_axes = contraction.rows;
  if (row_axes.empty()) row_axes.push_back(-1);
  std::vector<Candidate> candidates;
  for (const int row_axis : row_axes) {
    const Dim extent = row_axis < 0 ? Dim(1) : kernel.axes[row_axis].extent;
    const bool constant_stride = row_axis < 0 || broadcast->stride(row_axis).is_constant();
    for (int vectors = 1; vectors <= 4; ++vectors) {
      if (vectors > 1 && (vectors - 1) * problem.lanes >= problem.columns) break;
      Candidate candidate;
      candidate.row_axis = row_axis;
      candidate.vectors = vectors;
      candidate.rows = even_rows(extent, most_rows(vectors, problem.registers, constant_stride));
      const int64_t length = std::max<int64_t>(estimate(extent), 1);
      candidate.cost = plane_cycles(problem, length, candidate.rows, vectors) /
                       (static_cast<double>(length) * static_cast<double>(problem.columns));
      candidates.push_back(candidate);
    }
  }
  // Near ties go to two or three vectors, and to the innermost row axis, which comes last.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     const auto rank = [](const Candidate& c) {
                       const double preference = c.vectors == 1 ? 0.06 : c.vectors == 4 ? 0.02 : 0;
                       return std::pair(std::llround(c.cost * (1 + preference) * 1e6), -c.row_axis);
                     };
                     return rank(a) < rank(b);
                   });
  if (candidates.size() > kSchedules) candidates.resize(kSchedules);

  std::vector<Schedule> schedules;
  for (const Candidate& candidate : candidates) {
    Schedule schedule;
    schedule.family = Family::contraction;
    schedule.vector_axis = contraction.column;
    schedule.vector_elements = candidate.vectors * problem.lanes;
    schedule.row_axis = candidate.row_axis;
    schedule.rows = candidate.rows;
    // Few accumulators: several partial sums hide the latency of the adds.
    const int accumulators = candidate.rows * candidate.vectors;
    schedule.unroll =
        accumulators >= 8 ? 1 : std::min(4, 8 / accumulators + (8 % accumulators != 0));
    schedule.packed = contraction.vector_is_constant;
    choose_tile(kernel, contraction, problem, schedule);
    schedules.push_back(std::move(schedule));
  }
  return schedules;
}

}  // namespace tenon::loop
