// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/interpret.h"

#include "builder/loop/combiner.h"
#include "builder/loop/evaluator.h"

#include <algorithm>

namespace tenon::loop {
namespace {

// A stage with its expressions numbered.
struct RunningStage {
  const Stage* stage = nullptr;
  Evaluator evaluator;
  std::vector<int> values, joined, indices;
  std::vector<int64_t> inner_extents, reduction_extents;
  std::vector<int> reduction_axes;
};

class Interpreter {
 public:
  Interpreter(const Kernel& kernel, const std::map<std::string, int64_t>& symbols)
      : kernel_(kernel),
        value_of_([this, &symbols](const Dim& dim) { return value(dim, symbols); }) {}

  Status run(std::span<const std::span<std::byte>> buffers) {
    TENON_RETURN_IF_ERROR(set_up_buffers(buffers));
    point_.axes.assign(kernel_.axes.size(), 0);
    for (const Stage& stage : kernel_.stages) set_up(stage);
    if (!point_.error.empty()) return failure();
    std::vector<int> grid;
    std::vector<int64_t> extents;
    for (int i = 0; i < kernel_.grid_rank; ++i) {
      grid.push_back(i);
      extents.push_back(value_of_(kernel_.axes[i].extent));
    }
    if (!point_.error.empty()) return failure();
    for_each(grid, extents, [&] {
      for (size_t i = 0; i < stages_.size(); ++i) run_stage(stages_[i], i);
    });
    return point_.error.empty() ? Status() : failure();
  }

 private:
  int64_t value(const Dim& dim, const std::map<std::string, int64_t>& symbols) {
    auto result = dim.evaluate([&](const std::string& name) -> std::optional<int64_t> {
      auto found = symbols.find(name);
      if (found == symbols.end()) return std::nullopt;
      return found->second;
    });
    if (!result && point_.error.empty()) point_.error = "dim " + dim.to_string() + " has no value";
    return result.value_or(0);
  }

  Status failure() const {
    return Status(ErrorCode::internal, "kernel @" + kernel_.name + ": " + point_.error);
  }

  Status set_up_buffers(std::span<const std::span<std::byte>> buffers) {
    if (buffers.size() != kernel_.buffers.size()) {
      return Status(ErrorCode::bad_argument,
                    "kernel @" + kernel_.name + " has " + std::to_string(kernel_.buffers.size()) +
                        " buffers, " + std::to_string(buffers.size()) + " were given");
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Buffer& buffer = kernel_.buffers[i];
      bool narrow_output =
          buffer.written && is_float(buffer.type.type) && bit_width(buffer.type.type) == 8;
      if (bit_width(buffer.type.type) < 8 || narrow_output || buffer.type.rank() > 32) {
        return Status(ErrorCode::unsupported, "not supported yet: interpreting a buffer of type " +
                                                  ir::to_string(buffer.type));
      }
      std::vector<int64_t> shape;
      for (const Dim& dim : buffer.type.shape) shape.push_back(value_of_(dim));
      point_.buffers.emplace_back(buffer.type.type, shape, buffer.type.layout, buffers[i]);
      int64_t needed = point_.buffers.back().byte_count();
      if (static_cast<int64_t>(buffers[i].size()) < needed) {
        return Status(ErrorCode::bad_argument,
                      "buffer %" + std::to_string(i) + " \"" + buffer.name + "\" of kernel @" +
                          kernel_.name + " needs " + std::to_string(needed) + " bytes, " +
                          std::to_string(buffers[i].size()) + " were given");
      }
    }
    return point_.error.empty() ? Status() : failure();
  }

  void set_up(const Stage& stage) {
    RunningStage running{&stage, Evaluator(point_, value_of_), {}, {}, {}, {}, {}, {}};
    if (stage.reduction) {
      for (const auto& own : stage.reduction->axes) {
        running.reduction_axes.push_back(own.axis);
        running.reduction_extents.push_back(value_of_(own.extent));
      }
    }
    const auto& fast = running.reduction_axes;
    const auto& values = stage.reduction ? stage.reduction->values : stage.values;
    for (const auto& part : values) running.values.push_back(running.evaluator.add(part, fast));
    if (stage.reduction) {
      for (const auto& part : stage.reduction->joined) {
        running.joined.push_back(running.evaluator.add(part, fast));
      }
    }
    for (const auto& part : stage.indices) {
      running.indices.push_back(running.evaluator.add(part, fast));
    }
    KeptValues kept;
    int64_t points = 1;
    for (int axis : stage.inner_axes) {
      running.inner_extents.push_back(value_of_(kernel_.axes[axis].extent));
      points *= running.inner_extents.back();
    }
    if (stage.buffer < 0) {
      kept.extents = running.inner_extents;
      kept.slots.assign(values.size(), std::vector<Scalar>(static_cast<size_t>(points)));
    }
    point_.kept.push_back(std::move(kept));
    stages_.push_back(std::move(running));
  }

  // Runs `body` at every point of the axes, the last one fastest.
  template <typename Body>
  void for_each(const std::vector<int>& axes, const std::vector<int64_t>& extents,
                const Body& body) {
    for (int64_t extent : extents) {
      if (extent <= 0) return;
    }
    for (int axis : axes) point_.axes[axis] = 0;
    while (point_.error.empty()) {
      body();
      size_t i = axes.size();
      while (i > 0 && ++point_.axes[axes[i - 1]] == extents[i - 1]) point_.axes[axes[--i]] = 0;
      if (i == 0) return;
    }
  }

  void run_stage(RunningStage& running, size_t number) {
    int64_t position = 0;
    std::vector<Scalar> results;
    for_each(running.stage->inner_axes, running.inner_extents, [&] {
      running.evaluator.new_point();
      if (running.stage->reduction) {
        reduce(running);
        results = point_.state;
      } else {
        results.clear();
        for (int value : running.values) results.push_back(running.evaluator.evaluate(value));
      }
      if (running.stage->buffer >= 0) {
        store(running, results[0]);
      } else {
        auto& slots = point_.kept[number].slots;
        for (size_t i = 0; i < results.size(); ++i) slots[i][position] = results[i];
      }
      ++position;
    });
  }

  void reduce(RunningStage& running) {
    const Reduction& reduction = *running.stage->reduction;
    size_t slots = reduction.values.size();
    point_.state.clear();
    for (const ExprPointer& start : reduction.identities) {
      point_.state.push_back({start->real, start->integer});
    }
    point_.next.resize(slots);
    std::vector<Scalar> joined(slots);
    for_each(running.reduction_axes, running.reduction_extents, [&] {
      running.evaluator.new_step();
      for (size_t i = 0; i < slots; ++i) {
        point_.next[i] = running.evaluator.evaluate(running.values[i]);
      }
      for (size_t i = 0; i < slots; ++i) {
        joined[i] = running.joined.empty()
                        ? apply_binary(operation(reduction.combiner), reduction.values[i]->type,
                                       point_.state[i], point_.next[i])
                        : running.evaluator.evaluate(running.joined[i]);
      }
      point_.state = joined;
    });
  }

  void store(RunningStage& running, Scalar value) {
    std::vector<int64_t> indices;
    for (int index : running.indices) indices.push_back(running.evaluator.evaluate(index).integer);
    const BufferAccess& buffer = point_.buffers[running.stage->buffer];
    std::byte* address = buffer.at(indices);
    if (address) {
      write_element(buffer.type(), address, value);
    } else if (point_.error.empty()) {
      point_.error = "stage " + running.stage->name + " stores outside the shape of buffer %" +
                     std::to_string(running.stage->buffer);
    }
  }

  const Kernel& kernel_;
  std::function<int64_t(const Dim&)> value_of_;
  PointState point_;
  std::vector<RunningStage> stages_;
};

}  // namespace

Status interpret(const Kernel& kernel, const std::map<std::string, int64_t>& symbols,
                 std::span<const std::span<std::byte>> buffers) {
  TENON_RETURN_IF_ERROR(verify(kernel));
  return Interpreter(kernel, symbols).run(buffers);
}

}  // namespace tenon::loop
