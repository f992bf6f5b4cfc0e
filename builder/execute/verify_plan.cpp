// SPDX-License-Identifier: Apache-2.0
#include "builder/execute/compare_tensor.h"
#include "builder/execute/reference_run.h"

#include <tenon/verify.h>

#include <fmt/format.h>

#include <algorithm>

namespace tenon {
namespace {

using Tensors = std::map<std::string, TensorData>;

std::string type_text(DataType type, std::span<const int64_t> dims) {
  return fmt::format("{}[{}]", to_string(type), fmt::join(dims, ","));
}

/// The tensors of the model that a plan may be asked for, by name.
std::map<std::string, const ir::Value*, std::less<>> computed_tensors(const ir::Graph& graph) {
  std::map<std::string, const ir::Value*, std::less<>> values;
  for (const auto& node : graph.body().nodes()) {
    for (int i = 0; i < node->output_count(); ++i) {
      if (!node->is_constant() && !node->output(i)->name.empty())
        values.emplace(node->output(i)->name, node->output(i));
    }
  }
  return values;
}

Result<Tensors> complete_inputs(const Network& network, const Engine& engine,
                                const VerifyOptions& options) {
  Tensors inputs = options.inputs;
  for (const auto& parameter : network.graph().body().parameters()) {
    if (inputs.count(parameter->name) != 0) continue;
    const auto binding =
        std::find_if(engine.inputs().begin(), engine.inputs().end(),
                     [&](const BindingInfo& info) { return info.name == parameter->name; });
    if (binding == engine.inputs().end()) {
      return Status(
          ErrorCode::bad_argument,
          fmt::format(
              "input \"{}\" of the model is none of the plan's: the plan is of another model",
              parameter->name));
    }
    std::vector<int64_t> dims;
    for (const DimInfo& dim : binding->dims) dims.push_back(dim.optimum);
    const auto index = static_cast<uint64_t>(binding - engine.inputs().begin());
    TENON_ASSIGN(inputs[parameter->name], random_tensor(binding->type, dims, options.seed + index));
  }
  return inputs;
}

/// One run of the plan, with the reference kept just far enough ahead that every tensor is compared
/// while it lives.
class Verification {
 public:
  Verification(const Network& network, const Engine& engine, const VerifyOptions& options)
      : graph_(network.graph()),
        engine_(engine),
        options_(options),
        values_(computed_tensors(graph_)) {}

  Result<VerifyReport> run(const Tensors& inputs) {
    TENON_ASSIGN(Context context, engine_.create_context());
    TENON_RETURN_IF_ERROR(bind(context, inputs));
    // The first run only tells which tensors the plan writes, so that the reference keeps no
    // others.
    context.set_tensor_callback([this](const TensorEvent& event) {
      if (values_.find(event.name) != values_.end()) ++expected_[std::string(event.name)];
    });
    TENON_RETURN_IF_ERROR(context.run());

    TENON_ASSIGN(ReferenceRun reference, ReferenceRun::start(graph_, inputs));
    context.set_tensor_callback([&](const TensorEvent& event) {
      if (status_.ok()) status_ = compare(event, reference);
    });
    TENON_RETURN_IF_ERROR(context.run());
    TENON_RETURN_IF_ERROR(status_);
    TENON_RETURN_IF_ERROR(reference.finish({}));
    TENON_RETURN_IF_ERROR(compare_outputs(context, reference));
    return std::move(report_);
  }

 private:
  Status bind(Context& context, const Tensors& inputs) {
    for (const BindingInfo& input : engine_.inputs()) {
      const auto tensor = inputs.find(input.name);
      if (tensor == inputs.end()) {
        return Status(ErrorCode::bad_argument,
                      fmt::format("input \"{}\" of the plan is none of the model's: the plan "
                                  "is of another model",
                                  input.name));
      }
      TENON_RETURN_IF_ERROR(context.set_input(input.name, tensor->second.type,
                                              tensor->second.bytes.data(), tensor->second.dims));
    }
    for (const BindingInfo& output : engine_.outputs()) {
      TENON_ASSIGN(const std::vector<int64_t> dims, context.output_dims(output.name));
      int64_t count = 1;
      for (int64_t dim : dims) count *= dim;
      std::vector<std::byte>& buffer = outputs_[output.name];
      buffer.resize(static_cast<size_t>(byte_size(output.type, count)));
      TENON_RETURN_IF_ERROR(context.set_output(output.name, buffer.data(), buffer.size()));
    }
    return {};
  }

  /// The reference of a tensor, from as many more nodes as it takes.
  Result<const ops::ReferenceTensor*> reference_of(const std::string& name,
                                                   ReferenceRun& reference) {
    const auto keep = [&](const ir::Value& value, const ops::ReferenceTensor& tensor) {
      const auto awaited = expected_.find(value.name);
      if (awaited != expected_.end() && awaited->second > 0) kept_[value.name] = tensor;
    };
    while (kept_.count(name) == 0) {
      if (reference.done()) {
        return Status(ErrorCode::internal,
                      fmt::format("the reference never computes tensor \"{}\"", name));
      }
      TENON_RETURN_IF_ERROR(reference.step(keep));
    }
    return &kept_[name];
  }

  Status compare(const TensorEvent& event, ReferenceRun& reference) {
    const auto awaited = expected_.find(std::string(event.name));
    if (awaited == expected_.end()) return {};
    TENON_ASSIGN(const ops::ReferenceTensor* expected, reference_of(awaited->first, reference));
    TENON_RETURN_IF_ERROR(check_type(awaited->first, event.type, event.dims, *expected));
    TensorComparison comparison;
    comparison.tensor = awaited->first;
    comparison.origins = engine_.steps()[static_cast<size_t>(event.step)].origins;
    compare_tensor(event.data, event.strides, *expected, options_.relative_l2_limit, comparison);
    if (--awaited->second == 0) kept_.erase(awaited->first);
    record(comparison);
    return {};
  }

  Status compare_outputs(Context& context, const ReferenceRun& reference) {
    for (size_t i = 0; i < graph_.output_names.size(); ++i) {
      const std::string& name = graph_.output_names[i];
      const auto buffer = outputs_.find(name);
      if (buffer == outputs_.end()) {
        return Status(ErrorCode::bad_argument,
                      fmt::format("output \"{}\" of the model is none of the plan's: the plan is "
                                  "of another model",
                                  name));
      }
      TENON_ASSIGN(const ops::ReferenceTensor expected, reference.output(static_cast<int>(i)));
      TENON_ASSIGN(const std::vector<int64_t> dims, context.output_dims(name));
      const auto binding = std::find_if(engine_.outputs().begin(), engine_.outputs().end(),
                                        [&](const BindingInfo& info) { return info.name == name; });
      TENON_RETURN_IF_ERROR(check_type(name, binding->type, dims, expected));
      TensorComparison comparison;
      comparison.tensor = name;
      const ir::Value* value = graph_.body().results()[i];
      if (value->producer() != nullptr) comparison.origins = value->producer()->origins;
      compare_tensor(buffer->second.data(), row_major_strides(dims), expected,
                     options_.relative_l2_limit, comparison);
      report_.outputs.push_back(comparison);
      if (expected_.count(value->name) == 0) record(comparison);
    }
    return {};
  }

  Status check_type(const std::string& name, DataType type, std::span<const int64_t> dims,
                    const ops::ReferenceTensor& expected) const {
    if (type == expected.type &&
        std::equal(dims.begin(), dims.end(), expected.dims.begin(), expected.dims.end())) {
      return {};
    }
    return Status(
        ErrorCode::bad_argument,
        fmt::format(
            "tensor \"{}\": the plan computes {}, the model {}: the plan is of another model", name,
            type_text(type, dims), type_text(expected.type, expected.dims)));
  }

  void record(const TensorComparison& comparison) {
    ++report_.compared;
    if (!comparison.passed) {
      ++report_.failed;
      report_.failures.push_back(comparison);
    }
    if (options_.on_tensor) options_.on_tensor(comparison);
  }

  const ir::Graph& graph_;
  const Engine& engine_;
  const VerifyOptions& options_;
  const std::map<std::string, const ir::Value*, std::less<>> values_;
  std::map<std::string, int64_t> expected_;  // tensor -> how often the plan still writes it
  std::map<std::string, ops::ReferenceTensor> kept_;
  std::map<std::string, std::vector<std::byte>> outputs_;
  Status status_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> verify_plan(const Network& network, const Engine& engine,
                                 const VerifyOptions& options) {
  TENON_ASSIGN(const Tensors inputs, complete_inputs(network, engine, options));
  return Verification(network, engine, options).run(inputs);
}

}  // namespace tenon
