// SPDX-License-Identifier: Apache-2.0
// From the dims of the inputs to the sizes and addresses of all buffers.
#include <algorithm>

#include "runtime/context_implementation.h"
#include "runtime/shape_program.h"

namespace tenon {

using plan::BufferKind;

Context::Implementation::Implementation(std::shared_ptr<const Engine::Implementation> of)
    : engine(std::move(of)), runner(*engine->executor, engine->workers) {
  const plan::ProgramT& p = program();
  inputs.resize(p.inputs.size());
  outputs.resize(p.outputs.size());
  symbols.resize(p.symbols.size());
  dims.resize(p.dim_program.size());
  bytes.resize(p.buffers.size());
  addresses.resize(p.buffers.size());
  size_t most_arguments = 0, most_dims = 0;
  for (const auto& step : p.steps) {
    most_arguments = std::max(most_arguments, step->arguments.size());
    most_dims = std::max(most_dims, step->dims.size());
  }
  step_arguments.resize(most_arguments);
  step_bytes.resize(most_arguments);
  step_dims.resize(most_dims);
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    if (p.buffers[b]->kind != BufferKind::weight) continue;
    // Kernels only read weights; the mapping is read-only as well.
    addresses[b] =
        const_cast<std::byte*>(engine->plan.sections.weights.data()) + p.buffers[b]->offset;
  }
}

Result<std::unique_ptr<Context::Implementation>> Context::Implementation::create(
    std::shared_ptr<const Engine::Implementation> engine, std::span<std::byte> arena) {
  auto context = std::make_unique<Implementation>(std::move(engine));
  const plan::ProgramT& program = context->program();
  TENON_ASSIGN(context->arena, runtime::Arena::create(program, arena));
  const uint64_t stride = plan::round_up(program.max_scratch, 64);
  context->scratch_stride = static_cast<int64_t>(stride);
  TENON_ASSIGN(context->scratch, runtime::SystemMemory::allocate(stride * context->engine->workers,
                                                                 "scratch memory"));
  return context;
}

std::vector<int64_t> Context::Implementation::dims_of(const plan::BindingT& binding) const {
  std::vector<int64_t> values;
  for (const uint32_t dim : binding.dims) values.push_back(dims[dim]);
  return values;
}

Status Context::Implementation::resolve_shapes() {
  if (!shapes_changed) return {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].set) continue;
    return {ErrorCode::bad_argument, "input \"" + engine->inputs[i].name + "\" is not set"};
  }
  for (size_t s = 0; s < symbols.size(); ++s) {
    const plan::SymbolT& symbol = *program().symbols[s];
    symbols[s] = inputs[symbol.input].dims[symbol.axis];
  }
  TENON_RETURN_IF_ERROR(runtime::evaluate_dims(program().dim_program, symbols, dims));
  TENON_RETURN_IF_ERROR(check_input_dims());
  TENON_RETURN_IF_ERROR(size_buffers());
  TENON_RETURN_IF_ERROR(arena.place(bytes, addresses));
  shapes_changed = false;
  addresses_changed = true;
  return {};
}

Status Context::Implementation::check_input_dims() const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const plan::BindingT& binding = *program().inputs[i];
    for (size_t axis = 0; axis < binding.dims.size(); ++axis) {
      const int64_t expected = dims[binding.dims[axis]];
      if (inputs[i].dims[axis] == expected) continue;
      std::string origin;
      for (const auto& symbol : program().symbols) {
        if (symbol->name != binding.dim_text[axis]) continue;
        origin = ", as axis " + std::to_string(symbol->axis) + " of input \"" +
                 program().inputs[symbol->input]->name + "\"";
      }
      return {ErrorCode::bad_argument,
              "input \"" + binding.name + "\": got " +
                  runtime::tensor_text(engine->inputs[i].type, runtime::dim_texts(inputs[i].dims)) +
                  "; axis " + std::to_string(axis) + " must be " + binding.dim_text[axis] + " = " +
                  std::to_string(expected) + origin};
    }
  }
  return {};
}

Status Context::Implementation::size_buffers() {
  const plan::ProgramT& p = program();
  for (size_t b = 0; b < p.buffers.size(); ++b) {
    const plan::BufferT& buffer = *p.buffers[b];
    bytes[b] = dims[buffer.bytes];
    bool sound = bytes[b] >= 0;
    if (buffer.kind == BufferKind::input || buffer.kind == BufferKind::output) {
      const auto& list = buffer.kind == BufferKind::input ? p.inputs : p.outputs;
      const plan::BindingT& binding = *list[buffer.binding];
      int64_t count = 1;
      for (const uint32_t dim : binding.dims) {
        sound = sound && dims[dim] >= 0 && !__builtin_mul_overflow(count, dims[dim], &count);
      }
      sound = sound && count < int64_t{1} << 48 &&
              bytes[b] == byte_size(static_cast<DataType>(binding.type), count);
    }
    if (!sound) {
      return {ErrorCode::internal,
              "buffer " + std::to_string(b) + " has a bad size at these shapes"};
    }
  }
  for (size_t s = 0; s < p.steps.size(); ++s) {
    const plan::StepT& step = *p.steps[s];
    for (const plan::Argument& argument : step.arguments) {
      if (argument.offset() != runtime::kNoDim &&
          (dims[argument.offset()] < 0 || argument_bytes(argument) < 0)) {
        return {ErrorCode::internal, engine->describe_step(s) +
                                         ": an argument begins outside its buffer at these shapes"};
      }
    }
    const bool kernel = step.kind == plan::StepKind::kernel;
    const int64_t scratch_bytes =
        kernel && step.scratch != runtime::kNoDim ? dims[step.scratch] : 0;
    const bool copies_too_much =
        !kernel && argument_bytes(step.arguments[0]) > argument_bytes(step.arguments[1]);
    if (scratch_bytes < 0 || scratch_bytes > scratch_stride || copies_too_much) {
      return {ErrorCode::internal,
              engine->describe_step(s) + ": it needs more memory than planned at these shapes"};
    }
  }
  return {};
}

std::byte* Context::Implementation::argument_data(const plan::Argument& argument) const {
  std::byte* const base = addresses[argument.buffer()];
  const int64_t offset = argument.offset() == runtime::kNoDim ? 0 : dims[argument.offset()];
  return offset == 0 ? base : base + offset;
}

int64_t Context::Implementation::argument_bytes(const plan::Argument& argument) const {
  const int64_t offset = argument.offset() == runtime::kNoDim ? 0 : dims[argument.offset()];
  return bytes[argument.buffer()] - offset;
}

Status Context::Implementation::bind_buffers() {
  if (!addresses_changed) return {};
  for (size_t i = 0; i < outputs.size(); ++i) {
    const plan::BindingT& binding = *program().outputs[i];
    const auto needed = static_cast<size_t>(bytes[binding.buffer]);
    if (!outputs[i].set || outputs[i].bytes < needed) {
      const std::string given = outputs[i].set
                                    ? "; set_output gave " + std::to_string(outputs[i].bytes)
                                    : " but is not set";
      return {
          ErrorCode::bad_argument,
          "output \"" + binding.name + "\" needs " + std::to_string(needed) + " bytes for " +
              runtime::tensor_text(engine->outputs[i].type, runtime::dim_texts(dims_of(binding))) +
              given};
    }
    addresses[binding.buffer] = static_cast<std::byte*>(outputs[i].data);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    // The plan's steps never write inputs (plan/verify).
    addresses[program().inputs[i]->buffer] =
        static_cast<std::byte*>(const_cast<void*>(inputs[i].data));
  }
  TENON_RETURN_IF_ERROR(check_overlaps());
  addresses_changed = false;
  return {};
}

Status Context::Implementation::check_overlaps() const {
  const plan::ProgramT& p = program();
  const auto overlap = [&](uint32_t a, uint32_t b) {
    return bytes[a] > 0 && bytes[b] > 0 && addresses[a] < addresses[b] + bytes[b] &&
           addresses[b] < addresses[a] + bytes[a];
  };
  const auto error = [](const plan::BindingT& output, const char* kind,
                        const plan::BindingT& other) {
    return Status(ErrorCode::bad_argument, "output \"" + output.name + "\" overlaps " + kind +
                                               " \"" + other.name +
                                               "\"; give it memory of its own");
  };
  for (size_t o = 0; o < p.outputs.size(); ++o) {
    const plan::BindingT& output = *p.outputs[o];
    for (const auto& input : p.inputs) {
      if (overlap(output.buffer, input->buffer)) return error(output, "input", *input);
    }
    for (size_t other = 0; other < o; ++other) {
      const plan::BindingT& earlier = *p.outputs[other];
      if (overlap(output.buffer, earlier.buffer)) return error(output, "output", earlier);
    }
  }
  return {};
}

}  // namespace tenon
