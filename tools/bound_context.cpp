// SPDX-License-Identifier: Apache-2.0
#include "tools/bound_context.h"

#include "tools/element.h"

#include <tenon/verify.h>

#include <fmt/format.h>

#include <algorithm>

namespace tenon::tools {
namespace {

template <typename Map>
Status check_names(const Engine& engine, const Map& given, const char* option) {
  for (const auto& [name, value] : given) {
    std::vector<std::string> known;
    for (const BindingInfo& input : engine.inputs()) known.push_back(input.name);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("{}: the plan has no input \"{}\"; its inputs are: {}", option,
                                name, fmt::join(known, ", ")));
    }
  }
  return {};
}

/// The size that the shapes given for other inputs imply for a dim that is a bare symbol.
int64_t size_of(const Engine& engine, const Tensors& inputs, const DimInfo& dim) {
  if (dim.minimum == dim.maximum) return dim.optimum;
  for (const BindingInfo& other : engine.inputs()) {
    const auto tensor = inputs.find(other.name);
    if (tensor == inputs.end() || tensor->second.dims.size() != other.dims.size()) continue;
    for (size_t axis = 0; axis < other.dims.size(); ++axis) {
      if (other.dims[axis].expression == dim.expression) return tensor->second.dims[axis];
    }
  }
  return dim.optimum;
}

/// 64-byte aligned zeros.
TensorData make_buffer(DataType type, std::vector<int64_t> dims) {
  const auto size = static_cast<size_t>(byte_size(type, element_count(dims)));
  constexpr size_t kAlignment = 64;
  auto storage = std::make_shared<std::vector<std::byte>>(size + kAlignment);
  void* start = storage->data();
  size_t space = storage->size();
  std::align(kAlignment, size, start, space);
  return TensorData{type, std::move(dims), {static_cast<const std::byte*>(start), size}, storage};
}

}  // namespace

Result<Tensors> complete_inputs(const Engine& engine, Tensors given, const Shapes& shapes,
                                uint64_t seed, std::vector<std::string>* random_names) {
  TENON_RETURN_IF_ERROR(check_names(engine, given, "--input"));
  TENON_RETURN_IF_ERROR(check_names(engine, shapes, "--shape"));
  for (const auto& [name, dims] : shapes) {
    const auto tensor = given.find(name);
    if (tensor != given.end() && tensor->second.dims != dims) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("input \"{}\": --shape says {}, the file holds {}", name,
                                dims_text(dims), dims_text(tensor->second.dims)));
    }
  }
  const auto add_random = [&](const BindingInfo& input, std::vector<int64_t> dims) -> Status {
    Result<TensorData> tensor = random_tensor(
        input.type, dims, seed + static_cast<uint64_t>(&input - engine.inputs().data()));
    if (!tensor.ok()) return tensor.status().with_context(fmt::format("input \"{}\"", input.name));
    given.emplace(input.name, *std::move(tensor));
    if (random_names != nullptr) random_names->push_back(input.name);
    return {};
  };
  // Shapes that the user states come first: the others follow from them.
  for (const BindingInfo& input : engine.inputs()) {
    const auto shape = shapes.find(input.name);
    if (given.count(input.name) == 0 && shape != shapes.end())
      TENON_RETURN_IF_ERROR(add_random(input, shape->second));
  }
  for (const BindingInfo& input : engine.inputs()) {
    if (given.count(input.name) != 0) continue;
    std::vector<int64_t> dims;
    for (const DimInfo& dim : input.dims) dims.push_back(size_of(engine, given, dim));
    TENON_RETURN_IF_ERROR(add_random(input, std::move(dims)));
  }
  return given;
}

Result<BoundContext> BoundContext::create(const Engine& engine, const Tensors& inputs) {
  TENON_ASSIGN(Context context, engine.create_context());
  BoundContext bound(std::move(context));
  bound.inputs_ = inputs;
  for (const auto& [name, tensor] : bound.inputs_) {
    TENON_RETURN_IF_ERROR(
        bound.context_.set_input(name, tensor.type, tensor.bytes.data(), tensor.dims));
  }
  for (const BindingInfo& output : engine.outputs()) {
    TENON_ASSIGN(std::vector<int64_t> dims, bound.context_.output_dims(output.name));
    TensorData buffer = make_buffer(output.type, std::move(dims));
    TENON_RETURN_IF_ERROR(bound.context_.set_output(
        output.name, const_cast<std::byte*>(buffer.bytes.data()), buffer.bytes.size()));
    bound.outputs_.emplace_back(output.name, std::move(buffer));
  }
  return bound;
}

}  // namespace tenon::tools
