// SPDX-License-Identifier: Apache-2.0
// What a Context holds.
#pragma once

#include <tenon/runtime.h>

#include <atomic>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/arena.h"
#include "runtime/engine_implementation.h"
#include "runtime/step_runner.h"
#include "runtime/without_exceptions.h"

namespace tenon {

struct [[gnu::visibility("hidden")]] Context::Implementation {
  struct Input {
    const void* data = nullptr;
    std::vector<int64_t> dims;
    bool set = false;
  };
  struct Output {
    void* data = nullptr;
    size_t bytes = 0;
    bool set = false;
  };

  explicit Implementation(std::shared_ptr<const Engine::Implementation> of);
  static Result<std::unique_ptr<Implementation>> create(
      std::shared_ptr<const Engine::Implementation> engine, std::span<std::byte> arena);

  Status set_input(std::string_view name, const DataType* type, const void* data,
                   std::span<const int64_t> dims);
  Status set_output(std::string_view name, void* data, size_t bytes);
  Result<std::vector<int64_t>> output_dims(std::string_view name);
  Status run();

  // Evaluates all dims and places the buffers, when an input's dims have changed.
  Status resolve_shapes();
  Status check_input_dims() const;
  Status size_buffers();
  std::vector<int64_t> dims_of(const plan::BindingT& binding) const;
  // Checks that every output has room, that the caller's buffers do not overlap, and takes their
  // addresses.
  Status bind_buffers();
  Status check_overlaps() const;
  Status run_step(size_t step);
  Status run_kernel(const plan::StepT& step, size_t number);
  Status kernel_failure(size_t step, int32_t result, const KernelError& error) const;
  void report_tensors(size_t step);

  const plan::ProgramT& program() const { return engine->program(); }
  std::byte* argument_data(const plan::Argument& argument) const;
  int64_t argument_bytes(const plan::Argument& argument) const;

  std::shared_ptr<const Engine::Implementation> engine;
  runtime::Arena arena;
  runtime::SystemMemory scratch;
  int64_t scratch_stride = 0;  // of a worker
  runtime::StepRunner runner;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  bool shapes_changed = true, addresses_changed = true;
  std::vector<int64_t> symbols, dims;  // values, by number
  std::vector<int64_t> bytes;          // of each buffer
  std::vector<std::byte*> addresses;   // of each buffer
  std::vector<void*> step_arguments;   // of the step that runs
  std::vector<int64_t> step_bytes, step_dims;
  std::function<void(int64_t, double)> step_callback;
  std::function<void(const TensorEvent&)> tensor_callback;
  std::vector<std::byte> unpacked;  // of a tensor with blocks, for the callback
  std::atomic<bool> busy{false};
};

namespace runtime {

/// Copies a tensor out of a layout with blocks into row-major order. `out` has room.
void unpack_blocks(const plan::DebugTensorT& layout, std::span<const int64_t> dims,
                   const std::byte* in, std::byte* out);
/// Element stride of each axis in a layout without blocks.
std::vector<int64_t> layout_strides(const plan::DebugTensorT& layout,
                                    std::span<const int64_t> dims);

}  // namespace runtime
}  // namespace tenon
