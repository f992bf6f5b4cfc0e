// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_runs.h"

#include "builder/codegen/cpu/target.h"
#include "builder/emit/pack_weight.h"
#include "builder/emit/storage.h"
#include "builder/execute/reference_run.h"
#include "builder/loop/interpret.h"
#include "builder/passes/lower_group.h"
#include "builder/tactics/candidates.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <optional>
#include <random>
#include <span>

namespace tenon::testing_support {
namespace {

using Symbols = std::map<std::string, int64_t>;
using Bytes = std::vector<std::byte>;

int64_t size_of(const ir::Dim& dim, const Symbols& symbols) {
  return dim
      .evaluate([&](const std::string& name) -> std::optional<int64_t> {
        const auto found = symbols.find(name);
        return found == symbols.end() ? std::nullopt : std::optional(found->second);
      })
      .value();
}

std::vector<int64_t> sizes_of(const ir::Shape& shape, const Symbols& symbols) {
  std::vector<int64_t> sizes;
  for (const ir::Dim& dim : shape) sizes.push_back(size_of(dim, symbols));
  return sizes;
}

int64_t bytes_of(const ir::TensorType& type, const Symbols& symbols) {
  return byte_size(type.type, size_of(ir::physical_elements(type.layout, type.shape), symbols));
}

Symbols symbols_of(const ir::Graph& graph, const Inputs& inputs) {
  Symbols symbols;
  for (const auto& parameter : graph.body().parameters()) {
    for (size_t axis = 0; axis < parameter->type.shape.size(); ++axis) {
      const auto name = parameter->type.shape[axis].as_symbol();
      if (name) symbols[*name] = inputs.at(parameter->name).dims[axis];
    }
  }
  return symbols;
}

bool needs_step(const ir::Node& node) {
  if (node.op() == ir::Node::kReturnOp || node.is_constant()) return false;
  const ops::OpDefinition* definition = ops::find(node.op());
  return !definition || !definition->is_view;
}

/// The memory of every storage, by the value that stands for it.
class Memory {
 public:
  Memory(const ir::Graph& graph, const Inputs& inputs, const emit::StepList& steps)
      : symbols_(symbols_of(graph, inputs)), arena_(emit::arena_storages(steps, graph)) {
    for (const auto& parameter : graph.body().parameters()) {
      const auto& bytes = inputs.at(parameter->name).bytes;
      buffers_[parameter.get()] = Bytes(bytes.begin(), bytes.end());
    }
  }

  const Symbols& symbols() const { return symbols_; }

  /// The bytes of a value as a kernel sees it in `type`.
  Result<std::span<std::byte>> find(const ir::Value* value, const ir::TensorType& type) {
    const ir::Value* storage = emit::storage_of(value);
    if (const TensorData* data = ir::Graph::constant_of(storage)) {
      TENON_ASSIGN(Bytes packed, emit::pack_weight(*data, type));
      weights_.push_back(std::move(packed));
      return std::span<std::byte>(weights_.back());
    }
    Bytes& bytes = buffers_[arena_.memory_of(storage)];
    if (bytes.empty()) bytes.assign(bytes_of(type, symbols_), std::byte{0xff});
    return std::span<std::byte>(bytes);
  }

 private:
  Symbols symbols_;
  emit::ArenaStorages arena_;
  std::map<const ir::Value*, Bytes> buffers_;
  std::list<Bytes> weights_;
};

double tolerance_of(DataType type) {
  switch (type) {
    case DataType::f64:
      return 1e-9;
    case DataType::f32:
      return 2e-4;
    default:
      return 3e-2;
  }
}

}  // namespace

Inputs random_inputs(const ir::Graph& graph, const std::map<std::string, int64_t>& symbols,
                     uint32_t seed) {
  std::mt19937 random(seed);
  Inputs inputs;
  for (const auto& parameter : graph.body().parameters()) {
    ops::ReferenceTensor tensor;
    tensor.type = parameter->type.type;
    tensor.dims = sizes_of(parameter->type.shape, symbols);
    for (int64_t i = 0; i < tensor.count(); ++i) {
      const auto number = static_cast<int64_t>(random() % 33) - 16;
      if (is_float(tensor.type)) tensor.reals.push_back(static_cast<double>(number) / 8);
      if (!is_float(tensor.type)) tensor.integers.push_back(number);
    }
    inputs[parameter->name] = ops::to_tensor_data(tensor);
  }
  return inputs;
}

Result<Outputs> run_by_reference(const ir::Graph& graph, const Inputs& inputs) {
  TENON_ASSIGN(ReferenceRun run, ReferenceRun::start(graph, inputs));
  TENON_RETURN_IF_ERROR(run.finish({}));
  Outputs outputs;
  for (size_t i = 0; i < graph.body().results().size(); ++i) {
    TENON_ASSIGN(ops::ReferenceTensor output, run.output(static_cast<int>(i)));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

Result<emit::StepList> lowered_steps(const ir::Graph& graph) {
  TENON_ASSIGN(const codegen::Target target, codegen::parse_target("cpu:x86-64-v3"));
  emit::StepList list;
  for (const auto& node : graph.body().nodes()) {
    if (!needs_step(*node)) continue;
    emit::Step step;
    step.node = node.get();
    step.arguments.assign(node->inputs().begin(), node->inputs().end());
    std::erase(step.arguments, nullptr);
    for (int i = 0; i < node->output_count(); ++i) step.arguments.push_back(node->output(i));
    TENON_ASSIGN(const loop::Kernel kernel, passes::lower_group(*node));
    const tactics::CandidateList candidates = tactics::candidates(kernel, target.unit);
    step.kernel = candidates.candidates.front().kernel;
    step.storage = candidates.candidates.front().storage;
    step.schedule = candidates.candidates.front().schedule;
    list.steps.push_back(std::move(step));
  }
  return list;
}

Result<Outputs> run_by_kernels(const ir::Graph& graph, const Inputs& inputs) {
  TENON_ASSIGN(const emit::StepList list, lowered_steps(graph));
  Memory memory(graph, inputs, list);
  for (const emit::Step& step : list.steps) {
    std::vector<std::span<std::byte>> buffers;
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      TENON_ASSIGN(const auto bytes, memory.find(step.arguments[i], step.storage[i]));
      buffers.push_back(bytes);
    }
    const std::string name = step.node->op();
    TENON_RETURN_IF_ERROR(
        loop::interpret(step.kernel, memory.symbols(), buffers).with_context(name));
  }
  Outputs outputs;
  for (const ir::Value* result : graph.body().results()) {
    TENON_ASSIGN(const auto bytes, memory.find(result, result->type));
    TensorData data;
    data.type = result->type.type;
    data.dims = sizes_of(result->type.shape, memory.symbols());
    data.bytes = bytes;
    outputs.push_back(ops::to_reference(data));
  }
  return outputs;
}

std::string difference(const Outputs& actual, const Outputs& expected) {
  if (actual.size() != expected.size()) return "the number of outputs";
  for (size_t output = 0; output < expected.size(); ++output) {
    const ops::ReferenceTensor &a = actual[output], &b = expected[output];
    const std::string where = "output " + std::to_string(output);
    if (a.type != b.type || a.dims != b.dims) return where + ": another type or shape";
    if (a.integers != b.integers) return where + ": other integers";
    double largest = 1;
    for (double value : b.reals) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    for (size_t i = 0; i < b.reals.size(); ++i) {
      const bool same =
          a.reals[i] == b.reals[i] || (std::isnan(a.reals[i]) && std::isnan(b.reals[i]));
      if (same || std::fabs(a.reals[i] - b.reals[i]) <= tolerance_of(b.type) * largest) continue;
      return where + ", element " + std::to_string(i) + ": " + std::to_string(a.reals[i]) +
             " instead of " + std::to_string(b.reals[i]);
    }
  }
  return "";
}

}  // namespace tenon::testing_support
