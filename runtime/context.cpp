// SPDX-License-Identifier: Apache-2.0
// The public side of a context: what a caller binds, and that only one call is inside at a time.
#include <cstring>

#include "runtime/context_implementation.h"

namespace tenon {
namespace {

// Held by every call into a context.
class Entered {
 public:
  explicit Entered(std::atomic<bool>& busy)
      : busy_(busy), entered_(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Entered() {
    if (entered_) busy_.store(false, std::memory_order_release);
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

  Status status() const {
    if (entered_) return {};
    return {ErrorCode::bad_argument,
            "this context is in use by another call; create one context for each thread"};
  }

 private:
  std::atomic<bool>& busy_;
  const bool entered_;
};

template <typename Function>
auto enter(const std::unique_ptr<Context::Implementation>& context, const Function& function)
    -> decltype(function()) {
  if (context == nullptr) {
    return Status(ErrorCode::bad_argument, "this context was moved from");
  }
  const Entered entered(context->busy);
  if (Status status = entered.status(); !status.ok()) return status;
  return runtime::without_exceptions(function);
}

Result<size_t> find_binding(const std::vector<BindingInfo>& bindings, const char* kind,
                            std::string_view name) {
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (bindings[i].name == name) return i;
  }
  std::string message = std::string("there is no ") + kind + " \"" + std::string(name) +
                        "\"; the plan has " + (bindings.empty() ? "none" : "");
  for (const BindingInfo& binding : bindings) {
    message += (&binding == &bindings.front() ? "\"" : ", \"") + binding.name + "\"";
  }
  return Status(ErrorCode::bad_argument, message);
}

std::vector<std::string> expressions(const BindingInfo& info) {
  std::vector<std::string> texts;
  for (const DimInfo& dim : info.dims) texts.push_back(dim.expression);
  return texts;
}

// Says what axis `axis` may be: "axis 0 to be 3", "H in 32..4096".
std::string allowed(const DimInfo& dim, size_t axis) {
  if (dim.minimum == dim.maximum) {
    return "axis " + std::to_string(axis) + " to be " + std::to_string(dim.minimum);
  }
  return dim.expression + " in " + std::to_string(dim.minimum) + ".." + std::to_string(dim.maximum);
}

Status check_dims(const BindingInfo& info, std::span<const int64_t> dims) {
  const auto got = [&] {
    return "input \"" + info.name + "\": got " +
           runtime::tensor_text(info.type, runtime::dim_texts(dims));
  };
  if (dims.size() != info.dims.size()) {
    return {ErrorCode::bad_argument,
            got() + "; the plan takes " + runtime::tensor_text(info.type, expressions(info))};
  }
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const DimInfo& dim = info.dims[axis];
    if (dims[axis] >= dim.minimum && dims[axis] <= dim.maximum) continue;
    return {ErrorCode::bad_argument, got() + "; the plan's profile allows " + allowed(dim, axis) +
                                         " (got " + std::to_string(dims[axis]) +
                                         "). Build with another --shape."};
  }
  return {};
}

bool has_elements(std::span<const int64_t> dims) {
  for (const int64_t dim : dims) {
    if (dim == 0) return false;
  }
  return true;
}

}  // namespace

Status Context::Implementation::set_input(std::string_view name, const DataType* type,
                                          const void* data, std::span<const int64_t> new_dims) {
  TENON_ASSIGN(const size_t number, find_binding(engine->inputs, "input", name));
  const BindingInfo& info = engine->inputs[number];
  Input& input = inputs[number];
  if (type != nullptr && *type != info.type) {
    return {ErrorCode::bad_argument, "input \"" + info.name + "\": got " +
                                         runtime::tensor_text(*type, runtime::dim_texts(new_dims)) +
                                         "; the plan takes " +
                                         runtime::tensor_text(info.type, expressions(info))};
  }
  const bool same = input.set && std::equal(new_dims.begin(), new_dims.end(), input.dims.begin(),
                                            input.dims.end());
  if (!same) TENON_RETURN_IF_ERROR(check_dims(info, new_dims));
  const auto alignment = static_cast<uintptr_t>(std::max(1, bit_width(info.type) / 8));
  if (data == nullptr && has_elements(new_dims)) {
    return {ErrorCode::bad_argument, "input \"" + info.name + "\": its data is null"};
  }
  if (reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    return {ErrorCode::bad_argument, "input \"" + info.name + "\": its data is not aligned to " +
                                         std::to_string(alignment) + " bytes"};
  }
  addresses_changed = addresses_changed || !input.set || input.data != data;
  input.data = data;
  input.set = true;
  if (!same) {
    input.dims.assign(new_dims.begin(), new_dims.end());
    shapes_changed = true;
  }
  return {};
}

Status Context::Implementation::set_output(std::string_view name, void* data, size_t size) {
  TENON_ASSIGN(const size_t number, find_binding(engine->outputs, "output", name));
  const BindingInfo& info = engine->outputs[number];
  const auto alignment = static_cast<uintptr_t>(std::max(1, bit_width(info.type) / 8));
  if (data == nullptr && size > 0) {
    return {ErrorCode::bad_argument, "output \"" + info.name + "\": its data is null"};
  }
  if (reinterpret_cast<uintptr_t>(data) % alignment != 0) {
    return {ErrorCode::bad_argument, "output \"" + info.name + "\": its data is not aligned to " +
                                         std::to_string(alignment) + " bytes"};
  }
  outputs[number] = {data, size, true};
  addresses_changed = true;
  return {};
}

Result<std::vector<int64_t>> Context::Implementation::output_dims(std::string_view name) {
  TENON_ASSIGN(const size_t number, find_binding(engine->outputs, "output", name));
  TENON_RETURN_IF_ERROR(resolve_shapes());
  return dims_of(*program().outputs[number]);
}

Context::Context(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

Status Context::set_input(std::string_view name, const void* data, std::span<const int64_t> dims) {
  return enter(implementation_,
               [&] { return implementation_->set_input(name, nullptr, data, dims); });
}

Status Context::set_input(std::string_view name, DataType type, const void* data,
                          std::span<const int64_t> dims) {
  return enter(implementation_,
               [&] { return implementation_->set_input(name, &type, data, dims); });
}

Status Context::set_output(std::string_view name, void* data, size_t bytes) {
  return enter(implementation_, [&] { return implementation_->set_output(name, data, bytes); });
}

Result<std::vector<int64_t>> Context::output_dims(std::string_view name) {
  return enter(implementation_, [&] { return implementation_->output_dims(name); });
}

Status Context::run() {
  return enter(implementation_, [&] { return implementation_->run(); });
}

void Context::set_step_callback(std::function<void(int64_t, double)> callback) {
  if (implementation_) implementation_->step_callback = std::move(callback);
}

void Context::set_tensor_callback(std::function<void(const TensorEvent&)> callback) {
  if (implementation_) implementation_->tensor_callback = std::move(callback);
}

}  // namespace tenon
