// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/emit_plan.h"

#include "builder/emit/buffer_table.h"
#include "builder/emit/dim_program.h"
#include "builder/emit/storage.h"
#include "builder/ir/text.h"
#include "builder/loop/text.h"
#include "runtime/base/kernel_abi.h"
#include "runtime/base/version.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace tenon::emit {
namespace {

/// Kernels start at multiples of this: a cache line.
constexpr size_t kCodeAlignment = 64;

/// Every symbol takes its value from the first input dim that is the symbol alone.
Status add_symbols(const ir::Graph& graph, plan::ProgramT& program,
                   std::map<std::string, uint32_t>& numbers) {
  for (const auto& [name, range] : graph.symbols) {
    auto symbol = std::make_unique<plan::SymbolT>();
    symbol->name = name;
    symbol->minimum = range.minimum;
    symbol->optimum = range.optimum;
    symbol->maximum = range.maximum;
    bool found = false;
    for (const auto& input : graph.body().parameters()) {
      for (size_t axis = 0; axis < input->type.shape.size() && !found; ++axis) {
        if (input->type.shape[axis].as_symbol() != name) continue;
        found = true;
        symbol->input = static_cast<uint32_t>(input->index());
        symbol->axis = static_cast<uint32_t>(axis);
      }
    }
    if (!found) {
      return Status(ErrorCode::unsupported,
                    fmt::format("not supported yet: the dim {} is no dim of an input", name));
    }
    numbers[name] = static_cast<uint32_t>(program.symbols.size());
    program.symbols.push_back(std::move(symbol));
  }
  return {};
}

std::vector<uint64_t> place_code(const StepList& steps, std::vector<std::byte>& code) {
  std::vector<uint64_t> starts;
  for (const codegen::GeneratedKernel& kernel : steps.codes) {
    code.resize((code.size() + kCodeAlignment - 1) / kCodeAlignment * kCodeAlignment);
    starts.push_back(code.size());
    code.insert(code.end(), kernel.code.begin(), kernel.code.end());
  }
  return starts;
}

std::unique_ptr<plan::StepT> make_step(const Step& step, const codegen::GeneratedKernel& code,
                                       uint64_t code_start, const BufferTable& buffers,
                                       DimProgram& dims) {
  auto made = std::make_unique<plan::StepT>();
  made->kind = plan::StepKind::kernel;
  made->entry = code_start + code.entry;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    made->arguments.emplace_back(buffers.number(step, i), kNoDim);
    made->argument_writes.push_back(step.kernel.buffers[i].written);
  }
  for (const ir::Dim& dim : code.dims) made->dims.push_back(dims.number(dim));
  made->grid = dims.number(code.grid);
  made->grain = code.grain;
  made->scratch = code.scratch_bytes == ir::Dim(0) ? kNoDim : dims.number(code.scratch_bytes);
  return made;
}

std::unique_ptr<plan::DebugTensorT> describe_tensor(const ir::Value& value, size_t argument,
                                                    DimProgram& dims) {
  auto tensor = std::make_unique<plan::DebugTensorT>();
  tensor->argument = static_cast<uint32_t>(argument);
  tensor->name = value.name;
  tensor->type = static_cast<uint8_t>(value.type.type);
  for (const ir::Dim& dim : value.type.shape) tensor->dims.push_back(dims.number(dim));
  tensor->permutation = value.type.layout.permutation;
  for (const ir::Layout::Block& block : value.type.layout.blocks) {
    tensor->block_axes.push_back(block.axis);
    tensor->block_sizes.push_back(block.size);
  }
  return tensor;
}

std::unique_ptr<plan::DebugStepT> describe_step(const ir::Graph& graph, const Step& step,
                                                const codegen::GeneratedKernel& code, DimProgram& dims) {
  auto made = std::make_unique<plan::DebugStepT>();
  made->name = step.kernel.name;
  made->origins = step.node->origins;
  made->operators = step.operators;
  made->tactic = loop::to_string(step.schedule);
  made->kernel_text = loop::to_string(step.kernel);
  made->vector_bits = static_cast<uint32_t>(code.vector_bits);
  made->code_bytes = code.code.size();
  made->operations = step.kernel.operations;
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    const ir::TensorType& type = step.storage[i];
    const ir::Dim elements = ir::physical_elements(type.layout, type.shape);
    made->bytes += static_cast<double>(byte_size(type.type, ir::at_optimum(elements, graph.symbols)));
    if (step.kernel.buffers[i].written) {
      made->tensors.push_back(describe_tensor(*step.arguments[i], i, dims));
    }
  }
  return made;
}

void add_copies(const ir::Graph& graph, const BufferTable& buffers, plan::ProgramT& program,
                plan::DebugT& debug) {
  const std::vector<bool> in_place = outputs_written_in_place(graph);
  for (size_t i = 0; i < in_place.size(); ++i) {
    if (in_place[i]) continue;
    const ir::Value* result = graph.body().results()[i];
    auto copy = std::make_unique<plan::StepT>();
    copy->kind = plan::StepKind::copy;
    copy->arguments.emplace_back(buffers.storage_number(result), kNoDim);
    copy->arguments.emplace_back(program.outputs[i]->buffer, kNoDim);
    copy->argument_writes = {false, true};
    copy->scratch = kNoDim;
    program.steps.push_back(std::move(copy));
    auto described = std::make_unique<plan::DebugStepT>();
    described->name = "copy_output_" + std::to_string(i);
    described->operators = "copy";
    described->tactic = "copy";
    debug.steps.push_back(std::move(described));
  }
}

}  // namespace

Result<EmittedPlan> emit_plan(const ir::Graph& graph, const StepList& steps, const codegen::Target& target,
                              const std::string& profile, bool checked) {
  EmittedPlan emitted;
  emitted.meta.tenon_version = kTenonVersion;
  emitted.meta.kernel_abi = kKernelAbiVersion;
  emitted.meta.target = target.text;
  if (target.text == "cpu:native") emitted.meta.target = "cpu:" + target.processor;
  emitted.meta.features = target.features;
  emitted.meta.checked = checked;
  emitted.meta.program = std::make_unique<plan::ProgramT>();
  plan::ProgramT& program = *emitted.meta.program;

  std::map<std::string, uint32_t> symbol_numbers;
  TENON_RETURN_IF_ERROR(add_symbols(graph, program, symbol_numbers));
  DimProgram dims(symbol_numbers);
  BufferTable buffers(graph, dims, program);
  TENON_RETURN_IF_ERROR(buffers.build(steps));

  const std::vector<uint64_t> code_starts = place_code(steps, emitted.code);
  for (const Step& step : steps.steps) {
    const codegen::GeneratedKernel& code = steps.codes[step.code];
    program.steps.push_back(make_step(step, code, code_starts[step.code], buffers, dims));
    emitted.debug.steps.push_back(describe_step(graph, step, code, dims));
    const int64_t scratch = ir::at_maximum(code.scratch_bytes, graph.symbols);
    program.max_scratch = std::max(program.max_scratch, static_cast<uint64_t>(scratch));
  }
  add_copies(graph, buffers, program, emitted.debug);
  program.dim_program = dims.instructions();
  emitted.debug.graph_text = ir::print(graph);
  emitted.debug.profile = profile;
  for (const auto& [name, number] : symbol_numbers) emitted.debug.symbol_names.push_back(name);
  emitted.weights = buffers.weights();
  emitted.weight_bytes = buffers.weight_bytes();
  return emitted;
}

}  // namespace tenon::emit
