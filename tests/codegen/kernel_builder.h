// SPDX-License-Identifier: Apache-2.0
// Writes kernels for tests in few lines.
#pragma once

#include "builder/loop/kernel.h"
#include "builder/loop/schedule.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tenon::test {

using loop::ExprOp;
using loop::ExprPointer;

class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name) { kernel_.name = std::move(name); }

  /// Grid axes come before all others.
  int grid(const ir::Dim& extent) {
    kernel_.grid_rank = axis(extent) + 1;
    return kernel_.grid_rank - 1;
  }
  int axis(const ir::Dim& extent) {
    auto number = static_cast<int>(kernel_.axes.size());
    kernel_.axes.push_back({"i" + std::to_string(number), extent});
    return number;
  }
  int input(DataType type, ir::Shape shape, ir::Layout layout = {}) {
    return buffer(type, std::move(shape), std::move(layout), false);
  }
  int output(DataType type, ir::Shape shape, ir::Layout layout = {}) {
    return buffer(type, std::move(shape), std::move(layout), true);
  }
  ExprPointer load(int buffer, std::vector<ExprPointer> indices) const {
    return loop::load(buffer, kernel_.buffers[static_cast<size_t>(buffer)].type.type,
                      std::move(indices));
  }
  /// Load at plain axes.
  ExprPointer at(int buffer, const std::vector<int>& axes) const {
    return load(buffer, indices(axes));
  }
  static std::vector<ExprPointer> indices(const std::vector<int>& axes) {
    std::vector<ExprPointer> result;
    for (int axis : axes) result.push_back(loop::axis(axis));
    return result;
  }

  /// Stores a value at plain axes; inner: those of them that are no grid axes.
  int store(int buffer, const std::vector<int>& axes, ExprPointer value,
            std::vector<int> inner = {}) {
    loop::Stage stage;
    stage.name = kernel_.buffers[static_cast<size_t>(buffer)].name;
    stage.values = {std::move(value)};
    stage.inner_axes = std::move(inner);
    stage.buffer = buffer;
    stage.indices = indices(axes);
    return add(std::move(stage));
  }
  int keep(ExprPointer value, std::vector<int> inner = {}) {
    loop::Stage stage;
    stage.values = {std::move(value)};
    stage.inner_axes = std::move(inner);
    return add(std::move(stage));
  }
  int reduce(loop::Combiner combiner, const std::vector<int>& axes, const ExprPointer& value,
             const ExprPointer& identity, std::vector<int> inner = {}) {
    loop::Reduction reduction;
    reduction.combiner = combiner;
    reduction.values = {value};
    reduction.identities = {identity};
    return reduce(std::move(reduction), axes, std::move(inner));
  }
  int reduce(loop::Reduction reduction, const std::vector<int>& axes, std::vector<int> inner = {}) {
    for (int axis : axes) {
      reduction.axes.push_back({axis, kernel_.axes[static_cast<size_t>(axis)].extent});
    }
    loop::Stage stage;
    stage.reduction = std::make_shared<const loop::Reduction>(std::move(reduction));
    stage.inner_axes = std::move(inner);
    return add(std::move(stage));
  }
  ExprPointer stage(int number, int slot = 0, std::vector<ExprPointer> args = {}) const {
    const auto& stage = kernel_.stages[static_cast<size_t>(number)];
    auto type = stage.reduction ? stage.reduction->type(slot)
                                : stage.values[static_cast<size_t>(slot)]->type;
    return loop::stage_value(number, slot, type, std::move(args));
  }

  loop::Kernel& kernel() { return kernel_; }

 private:
  int buffer(DataType type, ir::Shape shape, ir::Layout layout, bool written) {
    auto number = static_cast<int>(kernel_.buffers.size());
    loop::Buffer buffer;
    buffer.name = "b" + std::to_string(number);
    buffer.type = {type, std::move(shape), std::move(layout)};
    buffer.written = written;
    kernel_.buffers.push_back(std::move(buffer));
    return number;
  }
  int add(loop::Stage stage) {
    auto number = static_cast<int>(kernel_.stages.size());
    if (stage.name.empty()) stage.name = "s" + std::to_string(number);
    kernel_.stages.push_back(std::move(stage));
    return number;
  }
  loop::Kernel kernel_;
};

inline loop::Schedule lanes(int axis, int elements, std::vector<int64_t> tile = {}) {
  loop::Schedule schedule;
  schedule.vector_axis = axis;
  schedule.vector_elements = axis < 0 ? 1 : elements;
  schedule.tile = std::move(tile);
  return schedule;
}

}  // namespace tenon::test
