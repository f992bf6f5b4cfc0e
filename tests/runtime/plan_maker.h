// SPDX-License-Identifier: Apache-2.0
// Makes plans by hand for tests of the runtime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenon/data_type.h>

#include "runtime/base/kernel_abi.h"
#include "runtime/plan/container.h"
#include "runtime/plan/debug_generated.h"
#include "runtime/plan/meta_generated.h"
#include "runtime/plan/writer.h"
#include "runtime/shape_program.h"
#include "tests/runtime/handmade_kernels.h"

namespace tenon::testing {

class PlanMaker {
 public:
  PlanMaker() {
    meta.tenon_version = "0.1.0";
    meta.kernel_abi = kKernelAbiVersion;
    meta.target = "cpu:x86-64";
    meta.features = {"sse2"};
    meta.program = std::make_unique<plan::ProgramT>();
  }

  plan::ProgramT& program() { return *meta.program; }

  uint32_t dim(plan::DimOp op, int64_t a, int64_t b = 0) {
    program().dim_program.emplace_back(op, a, b);
    return static_cast<uint32_t>(program().dim_program.size() - 1);
  }
  uint32_t constant(int64_t value) { return dim(plan::DimOp::constant, value); }
  uint32_t multiply(uint32_t a, uint32_t b) { return dim(plan::DimOp::multiply, a, b); }

  /// A symbol that is axis `axis` of input `input`, and its dim.
  uint32_t symbol(const std::string& name, int64_t minimum, int64_t maximum, uint32_t input,
                  uint32_t axis) {
    auto symbol = std::make_unique<plan::SymbolT>();
    symbol->name = name;
    symbol->minimum = minimum;
    symbol->optimum = symbol->maximum = maximum;
    symbol->input = input;
    symbol->axis = axis;
    program().symbols.push_back(std::move(symbol));
    return dim(plan::DimOp::symbol, static_cast<int64_t>(program().symbols.size() - 1));
  }

  /// Adds an input or output and its buffer, whose number it returns.
  uint32_t input(const std::string& name, DataType type, std::vector<uint32_t> dims,
                 std::vector<std::string> text, uint32_t bytes) {
    return binding(plan::BufferKind::input, program().inputs, name, type, dims, text, bytes);
  }
  uint32_t output(const std::string& name, DataType type, std::vector<uint32_t> dims,
                  std::vector<std::string> text, uint32_t bytes) {
    return binding(plan::BufferKind::output, program().outputs, name, type, dims, text, bytes);
  }
  uint32_t arena(uint32_t bytes, std::vector<uint32_t> below = {}) {
    const uint32_t number = buffer(plan::BufferKind::arena, DataType::f32, bytes);
    program().buffers[number]->below = std::move(below);
    return number;
  }
  uint32_t weight(const std::vector<float>& values) {
    const size_t offset = (weights_.size() + 63) / 64 * 64;
    weights_.resize(offset + values.size() * sizeof(float));
    std::memcpy(weights_.data() + offset, values.data(), values.size() * sizeof(float));
    const uint32_t number = buffer(plan::BufferKind::weight, DataType::f32,
                                   constant(static_cast<int64_t>(values.size() * sizeof(float))));
    program().buffers[number]->offset = offset;
    return number;
  }

  /// Adds a kernel step; its last argument is the one it writes.
  plan::StepT& kernel(std::span<const unsigned char> machine_code, std::vector<uint32_t> arguments,
                      std::vector<uint32_t> dims, uint32_t grid) {
    code_.resize((code_.size() + 15) / 16 * 16);
    plan::StepT& step = add_step(plan::StepKind::kernel, arguments);
    step.entry = code_.size();
    step.dims = std::move(dims);
    step.grid = grid;
    const auto bytes = std::as_bytes(machine_code);
    code_.insert(code_.end(), bytes.begin(), bytes.end());
    return step;
  }
  plan::StepT& copy(uint32_t from, uint32_t to) {
    return add_step(plan::StepKind::copy, {from, to});
  }
  /// Describes what argument `argument` of the last step holds.
  plan::DebugTensorT& tensor(uint32_t argument, const std::string& name, DataType type,
                             std::vector<uint32_t> dims) {
    auto tensor = std::make_unique<plan::DebugTensorT>();
    tensor->argument = argument;
    tensor->name = name;
    tensor->type = static_cast<uint8_t>(type);
    tensor->dims = std::move(dims);
    debug.steps.back()->tensors.push_back(std::move(tensor));
    return *debug.steps.back()->tensors.back();
  }

  /// Sets what follows from the rest: offsets of the arena at the maximum, its size, the scratch.
  void place() {
    std::vector<int64_t> symbols, dims(program().dim_program.size());
    for (const auto& symbol : program().symbols) symbols.push_back(symbol->maximum);
    runtime::evaluate_dims(program().dim_program, symbols, dims).value();
    const auto end = [&](const plan::BufferT& b) {
      return b.offset + plan::round_up(static_cast<uint64_t>(dims[b.bytes]), 64);
    };
    for (auto& buffer : program().buffers) {
      if (buffer->kind != plan::BufferKind::arena) continue;
      buffer->offset = 0;
      for (const uint32_t under : buffer->below) {
        buffer->offset = std::max(buffer->offset, end(*program().buffers[under]));
      }
      program().arena_bytes = std::max(program().arena_bytes, end(*buffer));
    }
    program().arena_lower_bound = program().unrewritten_lower_bound = program().arena_bytes;
    for (const auto& step : program().steps) {
      if (step->scratch == runtime::kNoDim) continue;
      program().max_scratch =
          std::max(program().max_scratch, static_cast<uint64_t>(dims[step->scratch]));
    }
  }

  plan::PlanParts parts() {
    plan::PlanParts parts;
    parts.meta = &meta;
    parts.code = code_;
    if (!weights_.empty()) parts.weights.push_back({0, weights_.size(), weights_, {}});
    parts.debug = &debug;
    return parts;
  }
  std::vector<std::byte> build() { return plan::write_plan(parts()).value(); }

  plan::MetaT meta;
  plan::DebugT debug;

 private:
  uint32_t buffer(plan::BufferKind kind, DataType type, uint32_t bytes) {
    auto buffer = std::make_unique<plan::BufferT>();
    buffer->kind = kind;
    buffer->type = static_cast<uint8_t>(type);
    buffer->bytes = bytes;
    program().buffers.push_back(std::move(buffer));
    return static_cast<uint32_t>(program().buffers.size() - 1);
  }
  uint32_t binding(plan::BufferKind kind, std::vector<std::unique_ptr<plan::BindingT>>& list,
                   const std::string& name, DataType type, std::vector<uint32_t>& dims,
                   std::vector<std::string>& text, uint32_t bytes) {
    const uint32_t number = buffer(kind, type, bytes);
    program().buffers[number]->binding = static_cast<uint32_t>(list.size());
    auto binding = std::make_unique<plan::BindingT>();
    binding->name = name;
    binding->type = static_cast<uint8_t>(type);
    binding->dims = std::move(dims);
    binding->dim_text = std::move(text);
    binding->buffer = number;
    list.push_back(std::move(binding));
    return number;
  }
  plan::StepT& add_step(plan::StepKind kind, const std::vector<uint32_t>& arguments) {
    auto step = std::make_unique<plan::StepT>();
    step->kind = kind;
    for (const uint32_t argument : arguments) {
      step->arguments.emplace_back(argument, runtime::kNoDim);
      step->argument_writes.push_back(step->arguments.size() == arguments.size());
    }
    program().steps.push_back(std::move(step));
    auto info = std::make_unique<plan::DebugStepT>();
    info->name = "step_" + std::to_string(program().steps.size() - 1);
    info->origins = {"Node_" + std::to_string(program().steps.size() - 1)};
    info->operators = kind == plan::StepKind::copy ? "copy" : "test";
    debug.steps.push_back(std::move(info));
    return *program().steps.back();
  }

  std::vector<std::byte> code_, weights_;
};

inline const std::vector<float>& demo_table() {
  static const std::vector<float> table = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90};
  return table;
}

/// A plan that uses everything a plan has. For x f32[N,64] and index i64[M]:
///   sum[n] = sum of 4 * x[n,:], by way of three arena buffers;  echo = x;  picked[m] =
///   table[index[m]]
inline PlanMaker demo_plan() {
  PlanMaker maker;
  const uint32_t n = maker.symbol("N", 1, 512, 0, 0), m = maker.symbol("M", 0, 32, 1, 0);
  const uint32_t row = maker.constant(64), four = maker.constant(4), eight = maker.constant(8);
  const uint32_t elements = maker.multiply(n, row), bytes = maker.multiply(elements, four);
  const uint32_t n_bytes = maker.multiply(n, four), m_bytes = maker.multiply(m, four);
  const uint32_t x = maker.input("x", DataType::f32, {n, row}, {"N", "64"}, bytes);
  const uint32_t index = maker.input("index", DataType::i64, {m}, {"M"}, maker.multiply(m, eight));
  const uint32_t sum = maker.output("sum", DataType::f32, {n}, {"N"}, n_bytes);
  const uint32_t echo = maker.output("echo", DataType::f32, {n, row}, {"N", "64"}, bytes);
  const uint32_t picked = maker.output("picked", DataType::f32, {m}, {"M"}, m_bytes);
  const uint32_t table = maker.weight(demo_table());
  // `twice` is dead when `four_times` is written, which takes its place.
  const uint32_t twice = maker.arena(bytes), four_times = maker.arena(bytes);
  const uint32_t reversed = maker.arena(bytes, {twice, four_times});

  maker.kernel(kAdd, {x, x, twice}, {}, elements).grain = 64;
  maker.tensor(2, "twice", DataType::f32, {n, row});
  plan::StepT& reverse = maker.kernel(kReverse, {twice, reversed}, {}, maker.multiply(n, four));
  reverse.scratch = row;
  maker.tensor(1, "reversed", DataType::f32, {n, row});
  maker.kernel(kAdd, {reversed, reversed, four_times}, {}, elements).grain = 64;
  maker.tensor(2, "four_times", DataType::f32, {n, row});
  maker.kernel(kBlockSum, {four_times, sum}, {elements}, n);
  maker.tensor(1, "sum", DataType::f32, {n});
  maker.copy(x, echo);
  maker.tensor(1, "echo", DataType::f32, {n, row});
  maker.kernel(kGather, {table, index, picked}, {maker.constant(10)}, m).grain = 1024;
  maker.tensor(2, "picked", DataType::f32, {m});
  maker.place();
  return maker;
}

}  // namespace tenon::testing
