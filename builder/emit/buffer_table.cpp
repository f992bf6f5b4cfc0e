// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/buffer_table.h"

#include "builder/emit/pack_weight.h"
#include "builder/emit/storage.h"
#include "builder/ir/constant.h"
#include "builder/memory/arena.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::emit {
namespace {

/// Bytes of a value in its layout, sub-byte elements packed.
ir::Dim bytes_of(const ir::TensorType& type) {
  const ir::Dim bits = ir::physical_elements(type.layout, type.shape) * ir::Dim(bit_width(type.type));
  return ir::Dim::ceil_div(bits, ir::Dim(8));
}

const TensorData& constant_behind(const ir::Value* storage) {
  return *ir::Graph::constant_of(storage);
}

}  // namespace

BufferTable::BufferTable(const ir::Graph& graph, DimProgram& dims, plan::ProgramT& program)
    : graph_(graph), dims_(dims), program_(program) {}

uint32_t BufferTable::add(plan::BufferKind kind, const ir::TensorType& type) {
  auto buffer = std::make_unique<plan::BufferT>();
  buffer->kind = kind;
  buffer->type = static_cast<uint8_t>(type.type);
  buffer->bytes = dims_.number(bytes_of(type));
  program_.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(program_.buffers.size() - 1);
}

Status BufferTable::add_bindings() {
  const auto make_binding = [this](const std::string& name, const ir::TensorType& type, uint32_t buffer) {
    auto binding = std::make_unique<plan::BindingT>();
    binding->name = name;
    binding->type = static_cast<uint8_t>(type.type);
    for (const ir::Dim& dim : type.shape) {
      binding->dims.push_back(dims_.number(dim));
      binding->dim_text.push_back(dim.to_string());
    }
    binding->buffer = buffer;
    return binding;
  };
  for (const auto& input : graph_.body().parameters()) {
    const uint32_t number = add(plan::BufferKind::input, input->type);
    program_.buffers[number]->binding = static_cast<uint32_t>(program_.inputs.size());
    program_.inputs.push_back(make_binding(input->name, input->type, number));
    storages_[input.get()] = number;
  }
  const std::vector<bool> in_place = outputs_written_in_place(graph_);
  for (size_t i = 0; i < in_place.size(); ++i) {
    const ir::Value* result = graph_.body().results()[i];
    const uint32_t number = add(plan::BufferKind::output, result->type);
    program_.buffers[number]->binding = static_cast<uint32_t>(i);
    program_.outputs.push_back(make_binding(graph_.output_names[i], result->type, number));
    if (in_place[i]) storages_[storage_of(result)] = number;
  }
  return {};
}

Result<uint32_t> BufferTable::add_weight(const TensorData& data, const ir::TensorType& type) {
  std::string& hash = hashes_[&data];
  if (hash.empty()) hash = ir::content_hash(data);
  const std::string key = fmt::format("{} {}", hash, ir::to_string(type));
  if (const auto known = weight_numbers_.find(key); known != weight_numbers_.end()) return known->second;
  const uint32_t number = add(plan::BufferKind::weight, type);
  const int64_t size =
      byte_size(type.type, ir::physical_elements(type.layout, type.shape).constant());
  plan::WeightPart part;
  part.offset = static_cast<uint64_t>(weight_bytes_);
  part.size = static_cast<uint64_t>(size);
  if (is_packed(data, type)) {
    part.bytes = data.bytes;
  } else {
    part.produce = [&data, type](const plan::ByteSink& sink) -> Status {
      TENON_ASSIGN(const std::vector<std::byte> packed, pack_weight(data, type));
      return sink(packed);
    };
  }
  program_.buffers[number]->offset = part.offset;
  weights_.push_back(std::move(part));
  weight_bytes_ += (size + memory::kAlignment - 1) / memory::kAlignment * memory::kAlignment;
  weight_numbers_[key] = number;
  return number;
}

void BufferTable::add_arena(const StepList& steps) {
  std::vector<const ir::Value*> values;
  std::vector<memory::ArenaBuffer> buffers;
  const ArenaStorages storages = arena_storages(steps, graph_);
  // In the order of the steps, not of addresses, so that equal builds give equal bytes.
  for (const Step& step : steps.steps) {
    for (const ir::Value* argument : step.arguments) {
      const ir::Value* storage = storage_of(argument);
      const auto found = storages.lifetimes.find(storage);
      if (found == storages.lifetimes.end() || storages_.count(storage)) continue;
      storages_[storage] = 0;
      const ir::Dim bytes = bytes_of(storage->type);
      values.push_back(storage);
      buffers.push_back({bytes, ir::at_maximum(bytes, graph_.symbols), found->second.first,
                         found->second.last});
    }
  }
  const memory::ArenaPlan plan = memory::plan_arena(buffers);
  // A plan lists buffers in an order in which those below come first.
  std::vector<int> order(buffers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return plan.placements[a].offset < plan.placements[b].offset;
  });
  std::vector<uint32_t> numbers(buffers.size());
  for (int index : order) {
    numbers[index] = add(plan::BufferKind::arena, values[index]->type);
    plan::BufferT& buffer = *program_.buffers[numbers[index]];
    buffer.offset = static_cast<uint64_t>(plan.placements[index].offset);
    for (int below : plan.placements[index].below) buffer.below.push_back(numbers[below]);
    std::sort(buffer.below.begin(), buffer.below.end());
    storages_[values[index]] = numbers[index];
  }
  for (const auto& [storage, memory] : storages.overwrites) storages_[storage] = storages_.at(memory);
  program_.arena_bytes = static_cast<uint64_t>(plan.bytes);
  program_.arena_lower_bound = static_cast<uint64_t>(plan.lower_bound);
}

Status BufferTable::build(const StepList& steps) {
  TENON_RETURN_IF_ERROR(add_bindings());
  for (const Step& step : steps.steps) {
    for (size_t i = 0; i < step.arguments.size(); ++i) {
      const ir::Value* storage = storage_of(step.arguments[i]);
      if (storage->is_parameter() || !storage->producer()->is_constant()) continue;
      const ir::TensorType& type = step.storage[i];
      TENON_ASSIGN(const uint32_t number, add_weight(constant_behind(storage), type));
      weight_arguments_[{storage, ir::to_string(type)}] = number;
    }
  }
  for (const ir::Value* result : graph_.body().results()) {
    const ir::Value* storage = storage_of(result);
    if (storage->is_parameter() || !storage->producer()->is_constant()) continue;
    TENON_ASSIGN(storages_[storage], add_weight(constant_behind(storage), storage->type));
  }
  add_arena(steps);
  return {};
}

uint32_t BufferTable::storage_number(const ir::Value* value) const {
  return storages_.at(storage_of(value));
}

uint32_t BufferTable::number(const Step& step, size_t index) const {
  const ir::Value* storage = storage_of(step.arguments[index]);
  if (!storage->is_parameter() && storage->producer()->is_constant()) {
    return weight_arguments_.at({storage, ir::to_string(step.storage[index])});
  }
  return storages_.at(storage);
}

}  // namespace tenon::emit
