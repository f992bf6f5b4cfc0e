// SPDX-License-Identifier: Apache-2.0
#include "runtime/shape_program.h"

#include <algorithm>
#include <limits>
#include <string>

namespace tenon::runtime {
namespace {

using plan::DimOp;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

// Computes `a op b`; false on an overflow or a divisor of 0.
bool apply(DimOp op, int64_t a, int64_t b, int64_t* result) {
  const bool divides = op == DimOp::floor_div || op == DimOp::mod || op == DimOp::round_up;
  if (divides && (b == 0 || (b == -1 && a == kLowest))) return false;
  const auto floor_div = [](int64_t x, int64_t y) {
    return x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
  };
  switch (op) {
    case DimOp::add:
      return !__builtin_add_overflow(a, b, result);
    case DimOp::subtract:
      return !__builtin_sub_overflow(a, b, result);
    case DimOp::multiply:
      return !__builtin_mul_overflow(a, b, result);
    case DimOp::floor_div:
      *result = floor_div(a, b);
      return true;
    case DimOp::mod:
      *result = a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
      return true;
    case DimOp::minimum:
      *result = std::min(a, b);
      return true;
    case DimOp::maximum:
      *result = std::max(a, b);
      return true;
    case DimOp::round_up: {
      int64_t raised;
      if (__builtin_add_overflow(a, b - 1, &raised)) return false;
      return !__builtin_mul_overflow(floor_div(raised, b), b, result);
    }
    default:
      return false;
  }
}

Interval apply(DimOp op, Interval a, Interval b) {
  if (op == DimOp::mod && b.minimum > 0) {
    if (a.minimum >= 0 && a.maximum < b.minimum) return a;
    return {0, b.maximum - 1};
  }
  Interval bounds{kHighest, kLowest};
  // Every other operation is monotone in each operand where a divisor does not change its sign.
  for (const int64_t x : {a.minimum, a.maximum}) {
    for (const int64_t y : {b.minimum, b.maximum}) {
      int64_t value;
      if (!apply(op, x, y, &value)) return {kLowest, kHighest};
      bounds.minimum = std::min(bounds.minimum, value);
      bounds.maximum = std::max(bounds.maximum, value);
    }
  }
  const bool divides = op == DimOp::floor_div || op == DimOp::mod || op == DimOp::round_up;
  if (divides && b.minimum <= 0) return {kLowest, kHighest};
  return bounds;
}

}  // namespace

Status evaluate_dims(std::span<const plan::DimInstruction> program,
                     std::span<const int64_t> symbols, std::span<int64_t> results) {
  for (size_t i = 0; i < program.size(); ++i) {
    const plan::DimInstruction& instruction = program[i];
    if (instruction.op() == DimOp::constant) {
      results[i] = instruction.a();
    } else if (instruction.op() == DimOp::symbol) {
      results[i] = symbols[static_cast<size_t>(instruction.a())];
    } else {
      const int64_t a = results[static_cast<size_t>(instruction.a())];
      const int64_t b = results[static_cast<size_t>(instruction.b())];
      if (!apply(instruction.op(), a, b, &results[i])) {
        return {ErrorCode::bad_argument,
                "dim " + std::to_string(i) + " of the plan overflows or divides by 0: " +
                    std::to_string(a) + " " + plan::EnumNameDimOp(instruction.op()) + " " +
                    std::to_string(b) + ". Use smaller inputs."};
      }
    }
  }
  return {};
}

std::vector<Interval> bound_dims(std::span<const plan::DimInstruction> program,
                                 std::span<const Interval> symbols) {
  std::vector<Interval> bounds(program.size());
  for (size_t i = 0; i < program.size(); ++i) {
    const plan::DimInstruction& instruction = program[i];
    const auto a = static_cast<size_t>(instruction.a());
    if (instruction.op() == DimOp::constant) {
      bounds[i] = {instruction.a(), instruction.a()};
    } else if (instruction.op() == DimOp::symbol) {
      bounds[i] = symbols[a];
    } else {
      bounds[i] = apply(instruction.op(), bounds[a], bounds[static_cast<size_t>(instruction.b())]);
    }
  }
  return bounds;
}

}  // namespace tenon::runtime
