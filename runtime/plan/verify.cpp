// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/verify.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <tenon/data_type.h>

#include "runtime/plan/container.h"
#include "runtime/shape_program.h"

namespace tenon::plan {
namespace {

using runtime::kNoDim;

constexpr size_t kMaximumRank = 64;
// No arena, section or tensor is larger; sums of a few such sizes do not overflow.
constexpr uint64_t kMaximumBytes = uint64_t{1} << 48;

Status corrupt(const std::string& what) { return {ErrorCode::corrupt_plan, what}; }

template <typename T>
bool has_null(const std::vector<std::unique_ptr<T>>& items) {
  return std::any_of(items.begin(), items.end(), [](const auto& item) { return item == nullptr; });
}

template <typename Table>
Result<std::unique_ptr<typename Table::NativeTableType>> unpack(std::span<const std::byte> section,
                                                                const char* identifier,
                                                                const char* name) {
  constexpr int kMaximumDepth = 64, kMaximumTables = 1 << 24;
  const auto* data = reinterpret_cast<const uint8_t*>(section.data());
  flatbuffers::Verifier verifier(data, section.size(), kMaximumDepth, kMaximumTables);
  if (section.size() >= FLATBUFFERS_MAX_BUFFER_SIZE || !verifier.VerifyBuffer<Table>(identifier)) {
    return corrupt(std::string("the ") + name + " section is damaged (structure)");
  }
  return std::unique_ptr<typename Table::NativeTableType>(
      flatbuffers::GetRoot<Table>(data)->UnPack());
}

class MetaVerifier {
 public:
  MetaVerifier(const ProgramT& program, uint64_t code_bytes, uint64_t weight_bytes)
      : program_(program), code_bytes_(code_bytes), weight_bytes_(weight_bytes) {}

  Status verify() {
    if (has_null(program_.symbols) || has_null(program_.inputs) || has_null(program_.outputs) ||
        has_null(program_.buffers) || has_null(program_.steps)) {
      return corrupt("a table is missing");
    }
    if (program_.arena_bytes > kMaximumBytes || program_.max_scratch > kMaximumBytes) {
      return corrupt("the arena or the scratch memory is too large");
    }
    TENON_RETURN_IF_ERROR(dims());
    for (const bool input : {true, false}) TENON_RETURN_IF_ERROR(bindings(input));
    TENON_RETURN_IF_ERROR(symbols());
    TENON_RETURN_IF_ERROR(buffers());
    for (size_t s = 0; s < program_.steps.size(); ++s) {
      TENON_RETURN_IF_ERROR(step(*program_.steps[s]).with_context("step " + std::to_string(s)));
    }
    for (const auto& output : program_.outputs) {
      if (bytes_[output->buffer] > 0 && !written_[output->buffer]) {
        return corrupt("no step writes output \"" + output->name + "\"");
      }
    }
    return verify_arena(program_, bytes_);
  }

 private:
  bool is_dim(uint32_t number) const { return number < maximum_.size(); }

  Status dims() {
    for (size_t i = 0; i < program_.dim_program.size(); ++i) {
      const DimInstruction& instruction = program_.dim_program[i];
      const auto earlier = [&](int64_t operand) {
        return operand >= 0 && operand < static_cast<int64_t>(i);
      };
      bool sound = instruction.op() <= DimOp::MAX;
      if (instruction.op() == DimOp::symbol) {
        sound =
            instruction.a() >= 0 && instruction.a() < static_cast<int64_t>(program_.symbols.size());
      } else if (instruction.op() != DimOp::constant) {
        sound = sound && earlier(instruction.a()) && earlier(instruction.b());
      }
      if (sound && instruction.op() == DimOp::round_up) {
        const auto& multiple = program_.dim_program[static_cast<size_t>(instruction.b())];
        sound = multiple.op() == DimOp::constant && multiple.a() > 0;
      }
      if (!sound) return corrupt("dim " + std::to_string(i) + " is malformed");
    }
    std::vector<int64_t> values;
    for (const auto& symbol : program_.symbols) values.push_back(symbol->maximum);
    maximum_.resize(program_.dim_program.size());
    const Status evaluated = runtime::evaluate_dims(program_.dim_program, values, maximum_);
    return evaluated.ok() ? Status() : corrupt("at the maximum, " + evaluated.message());
  }

  Status bindings(bool input) {
    std::set<std::string> names;
    const auto& list = input ? program_.inputs : program_.outputs;
    for (size_t i = 0; i < list.size(); ++i) {
      const BindingT& binding = *list[i];
      const std::string name = (input ? "input \"" : "output \"") + binding.name + "\"";
      if (!names.insert(binding.name).second) return corrupt(name + " stands twice");
      if (binding.type >= kDataTypeCount || binding.dims.size() > kMaximumRank ||
          binding.dim_text.size() != binding.dims.size()) {
        return corrupt(name + " has a bad type or rank");
      }
      for (const uint32_t dim : binding.dims) {
        if (!is_dim(dim) || maximum_[dim] < 0) return corrupt(name + " has a bad dim");
      }
      if (binding.buffer >= program_.buffers.size()) return corrupt(name + " has no buffer");
      const BufferT& buffer = *program_.buffers[binding.buffer];
      if (buffer.kind != (input ? BufferKind::input : BufferKind::output) || buffer.binding != i) {
        return corrupt(name + " has the buffer of another");
      }
    }
    return {};
  }

  Status symbols() {
    for (size_t i = 0; i < program_.symbols.size(); ++i) {
      const SymbolT& symbol = *program_.symbols[i];
      const std::string name = "symbol \"" + symbol.name + "\"";
      if (symbol.minimum < 0 || symbol.minimum > symbol.optimum ||
          symbol.optimum > symbol.maximum) {
        return corrupt(name + " has a bad range");
      }
      if (symbol.input >= program_.inputs.size() ||
          symbol.axis >= program_.inputs[symbol.input]->dims.size()) {
        return corrupt(name + " belongs to no axis of an input");
      }
      const uint32_t dim = program_.inputs[symbol.input]->dims[symbol.axis];
      const DimInstruction& instruction = program_.dim_program[dim];
      if (instruction.op() != DimOp::symbol || instruction.a() != static_cast<int64_t>(i)) {
        return corrupt(name + " is not the dim of its axis");
      }
    }
    return {};
  }

  // Bytes of a binding at the maximum, or nothing when that is beyond any memory.
  std::optional<int64_t> binding_bytes(const BindingT& binding) const {
    unsigned __int128 count = 1;
    for (const uint32_t dim : binding.dims) {
      count *= static_cast<uint64_t>(maximum_[dim]);
      if (count > kMaximumBytes) return std::nullopt;
    }
    return byte_size(static_cast<DataType>(binding.type), static_cast<int64_t>(count));
  }

  Status buffers() {
    written_.resize(program_.buffers.size());
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      const BufferT& buffer = *program_.buffers[b];
      const std::string name = "buffer " + std::to_string(b);
      if (buffer.kind > BufferKind::MAX || buffer.type >= kDataTypeCount || !is_dim(buffer.bytes)) {
        return corrupt(name + " is malformed");
      }
      const int64_t bytes = maximum_[buffer.bytes];
      if (bytes < 0 || static_cast<uint64_t>(bytes) > kMaximumBytes) {
        return corrupt(name + " has a bad size");
      }
      bytes_.push_back(bytes);
      if (buffer.kind == BufferKind::weight) {
        if (program_.dim_program[buffer.bytes].op() != DimOp::constant ||
            buffer.offset % kWeightAlignment != 0 || buffer.offset > weight_bytes_ ||
            static_cast<uint64_t>(bytes) > weight_bytes_ - buffer.offset) {
          return corrupt(name + " lies outside the weights");
        }
        written_[b] = true;
      } else if (buffer.kind != BufferKind::arena) {
        const bool input = buffer.kind == BufferKind::input;
        const auto& list = input ? program_.inputs : program_.outputs;
        if (buffer.binding >= list.size() || list[buffer.binding]->buffer != b ||
            binding_bytes(*list[buffer.binding]) != bytes) {
          return corrupt(name + " does not fit its input or output");
        }
        written_[b] = input;
      }
    }
    return {};
  }

  Status step(const StepT& step) {
    if (step.argument_writes.size() != step.arguments.size()) {
      return corrupt("it is not said which arguments are written");
    }
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const Argument& argument = step.arguments[i];
      const std::string name = "argument " + std::to_string(i);
      if (argument.buffer() >= program_.buffers.size()) return corrupt(name + " has no buffer");
      if (argument.offset() != kNoDim &&
          (!is_dim(argument.offset()) || maximum_[argument.offset()] < 0 ||
           maximum_[argument.offset()] > bytes_[argument.buffer()])) {
        return corrupt(name + " begins outside its buffer");
      }
      const BufferKind kind = program_.buffers[argument.buffer()]->kind;
      const bool writable = kind == BufferKind::arena || kind == BufferKind::output;
      if (step.argument_writes[i] && !writable) {
        return corrupt(name + " writes to an input or a weight");
      }
      if (!step.argument_writes[i] && bytes_[argument.buffer()] > 0 &&
          !written_[argument.buffer()] && !writes(step, argument.buffer())) {
        return corrupt(name + " reads a buffer that no step has written");
      }
    }
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      if (step.argument_writes[i]) written_[step.arguments[i].buffer()] = true;
    }
    return step.kind == StepKind::copy ? copy(step) : kernel(step);
  }

  static bool writes(const StepT& step, uint32_t buffer) {
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      if (step.argument_writes[i] && step.arguments[i].buffer() == buffer) return true;
    }
    return false;
  }

  int64_t bytes_after_offset(const Argument& argument) const {
    const int64_t offset = argument.offset() == kNoDim ? 0 : maximum_[argument.offset()];
    return bytes_[argument.buffer()] - offset;
  }

  Status copy(const StepT& step) {
    if (step.arguments.size() != 2 || step.argument_writes[0] || !step.argument_writes[1] ||
        step.arguments[0].buffer() == step.arguments[1].buffer() ||
        bytes_after_offset(step.arguments[0]) > bytes_after_offset(step.arguments[1])) {
      return corrupt("the copy is malformed");
    }
    return {};
  }

  Status kernel(const StepT& step) {
    if (step.kind != StepKind::kernel) return corrupt("it is of an unknown kind");
    if (step.entry >= code_bytes_) return corrupt("its kernel lies outside the code");
    if (!std::all_of(step.dims.begin(), step.dims.end(), [&](uint32_t d) { return is_dim(d); }) ||
        !is_dim(step.grid) || maximum_[step.grid] < 0 || step.grain < 1) {
      return corrupt("it has a bad dim or grid");
    }
    if (step.scratch != kNoDim &&
        (!is_dim(step.scratch) || maximum_[step.scratch] < 0 ||
         static_cast<uint64_t>(maximum_[step.scratch]) > program_.max_scratch)) {
      return corrupt("it needs more scratch memory than the plan says");
    }
    return {};
  }

  const ProgramT& program_;
  const uint64_t code_bytes_, weight_bytes_;
  std::vector<int64_t> maximum_;  // of each dim result
  std::vector<int64_t> bytes_;    // of each buffer, at the maximum
  std::vector<bool> written_;     // buffers that hold something
};

Status verify_tensor(const DebugTensorT& tensor, const StepT& step, size_t dim_count) {
  const size_t rank = tensor.dims.size();
  bool sound = tensor.argument < step.arguments.size() && tensor.type < kDataTypeCount &&
               rank <= kMaximumRank && tensor.block_axes.size() == tensor.block_sizes.size() &&
               tensor.block_axes.size() <= kMaximumRank;
  for (const uint32_t dim : tensor.dims) sound = sound && dim < dim_count;
  if (!tensor.permutation.empty()) {
    std::vector<int32_t> sorted = tensor.permutation;
    std::sort(sorted.begin(), sorted.end());
    sound = sound && sorted.size() == rank;
    for (size_t i = 0; sound && i < rank; ++i) sound = sorted[i] == static_cast<int32_t>(i);
  }
  for (const int32_t axis : tensor.block_axes) {
    sound = sound && axis >= 0 && axis < static_cast<int32_t>(rank);
  }
  for (const int64_t size : tensor.block_sizes) sound = sound && size >= 1 && size <= 1 << 20;
  return sound ? Status()
               : corrupt("debug information: tensor \"" + tensor.name + "\" is malformed");
}

}  // namespace

Result<std::unique_ptr<MetaT>> unpack_meta(std::span<const std::byte> section) {
  return unpack<Meta>(section, MetaIdentifier(), "META");
}

Result<std::unique_ptr<DebugT>> unpack_debug(std::span<const std::byte> section) {
  return unpack<Debug>(section, DebugIdentifier(), "DEBUG");
}

Status verify_meta(const MetaT& meta, uint64_t code_bytes, uint64_t weight_bytes) {
  if (meta.program == nullptr) return corrupt("has no program");
  return MetaVerifier(*meta.program, code_bytes, weight_bytes).verify();
}

Status verify_debug(const DebugT& debug, const MetaT& meta) {
  const auto& steps = meta.program->steps;
  if (debug.steps.size() != steps.size() || has_null(debug.steps)) {
    return corrupt("debug information: it describes " + std::to_string(debug.steps.size()) +
                   " steps instead of " + std::to_string(steps.size()));
  }
  for (size_t s = 0; s < steps.size(); ++s) {
    if (has_null(debug.steps[s]->tensors)) return corrupt("debug information: a tensor is missing");
    for (const auto& tensor : debug.steps[s]->tensors) {
      TENON_RETURN_IF_ERROR(verify_tensor(*tensor, *steps[s], meta.program->dim_program.size()));
    }
  }
  return {};
}

}  // namespace tenon::plan
