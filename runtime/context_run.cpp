// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a context.
#include <chrono>
#include <cstring>

#include "runtime/context_implementation.h"
#include "runtime/shape_program.h"

namespace tenon {

Status Context::Implementation::run() {
  TENON_RETURN_IF_ERROR(resolve_shapes());
  TENON_RETURN_IF_ERROR(bind_buffers());
  arena.begin_run();
  for (size_t step = 0; step < program().steps.size(); ++step) {
    if (!step_callback) {
      TENON_RETURN_IF_ERROR(run_step(step));
    } else {
      const auto begin = std::chrono::steady_clock::now();
      TENON_RETURN_IF_ERROR(run_step(step));
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      step_callback(static_cast<int64_t>(step), elapsed.count());
    }
    if (tensor_callback && engine->plan.debug != nullptr) report_tensors(step);
    if (Status status = arena.finish_step(step); !status.ok()) {
      return status.with_context(engine->describe_step(step));
    }
  }
  return {};
}

Status Context::Implementation::run_step(size_t number) {
  const plan::StepT& step = *program().steps[number];
  if (step.kind == plan::StepKind::kernel) return run_kernel(step, number);
  const auto count = static_cast<size_t>(argument_bytes(step.arguments[0]));
  if (count > 0) {
    std::memcpy(argument_data(step.arguments[1]), argument_data(step.arguments[0]), count);
  }
  return {};
}

Status Context::Implementation::run_kernel(const plan::StepT& step, size_t number) {
  for (size_t i = 0; i < step.arguments.size(); ++i) {
    step_arguments[i] = argument_data(step.arguments[i]);
    step_bytes[i] = argument_bytes(step.arguments[i]);
  }
  for (size_t i = 0; i < step.dims.size(); ++i) step_dims[i] = dims[step.dims[i]];
  KernelArgs args = {};
  args.buffers = step_arguments.data();
  args.dims = step_dims.data();
  args.buffer_bytes = step_bytes.data();
  args.scratch = reinterpret_cast<unsigned char*>(scratch.data());
  args.scratch_stride = scratch_stride;
  KernelError error = {};
  const int32_t result =
      runner.run(engine->code.kernel(step.entry), args, dims[step.grid], step.grain, &error);
  return result == kKernelOk ? Status() : kernel_failure(number, result, error);
}

Status Context::Implementation::kernel_failure(size_t number, int32_t result,
                                               const KernelError& error) const {
  const std::string name = engine->describe_step(number);
  if (result == runtime::StepRunner::kBadWorker) {
    return {ErrorCode::bad_argument,
            name + ": the executor passed a worker number that is not below its worker_count()"};
  }
  std::string buffer = "argument " + std::to_string(error.buffer);
  if (engine->plan.debug != nullptr) {
    for (const auto& tensor : engine->plan.debug->steps[number]->tensors) {
      if (static_cast<int64_t>(tensor->argument) == error.buffer && !tensor->name.empty()) {
        buffer += " (tensor \"" + tensor->name + "\")";
      }
    }
  }
  const std::string index = std::to_string(error.index), extent = std::to_string(error.extent);
  if (result == kKernelIndexOutOfRange) {
    return {ErrorCode::bad_argument, name + ": index " + index +
                                         " is out of range for an extent of " + extent + " (" +
                                         buffer + ", access " + std::to_string(error.access) + ")"};
  }
  if (result == kKernelAccessOutOfBounds) {
    return {ErrorCode::internal, name + ": its kernel touches element " + index + " of " + buffer +
                                     ", which has " + extent + " elements (access " +
                                     std::to_string(error.access) + ")"};
  }
  return {ErrorCode::internal, name + ": its kernel returned " + std::to_string(result)};
}

void Context::Implementation::report_tensors(size_t number) {
  const plan::StepT& step = *program().steps[number];
  for (const auto& tensor : engine->plan.debug->steps[number]->tensors) {
    TensorEvent event;
    event.step = static_cast<int64_t>(number);
    event.name = tensor->name;
    event.type = static_cast<DataType>(tensor->type);
    std::vector<int64_t> tensor_dims;
    for (const uint32_t dim : tensor->dims) tensor_dims.push_back(dims[dim]);
    std::vector<int64_t> strides;
    event.data = argument_data(step.arguments[tensor->argument]);
    if (tensor->block_axes.empty()) {
      strides = runtime::layout_strides(*tensor, tensor_dims);
    } else {
      int64_t count = 1;
      for (const int64_t dim : tensor_dims) count *= dim;
      unpacked.assign(static_cast<size_t>(byte_size(event.type, count)), std::byte{0});
      runtime::unpack_blocks(*tensor, tensor_dims, static_cast<const std::byte*>(event.data),
                             unpacked.data());
      strides = runtime::layout_strides(plan::DebugTensorT(), tensor_dims);
      event.data = unpacked.data();
    }
    event.dims = tensor_dims;
    event.strides = strides;
    tensor_callback(event);
  }
}

}  // namespace tenon
