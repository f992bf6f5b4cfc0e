// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/network_case.h"

#include "builder/ir/graph.h"
#include "tests/conformance/guarded_buffer.h"

#include <tenon/runtime.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace tenon::conformance {
namespace {

Result<std::vector<ReferenceTensor>> run(const Engine& engine,
                                         const std::map<std::string, TensorData>& inputs) {
  TENON_ASSIGN(Context context, engine.create_context());
  std::vector<GuardedBuffer> buffers;
  for (const auto& [name, data] : inputs) {
    buffers.emplace_back(data.type, data.bytes);
    TENON_RETURN_IF_ERROR(context.set_input(name, data.type, buffers.back().data(), data.dims));
  }
  std::vector<ReferenceTensor> results;
  std::vector<GuardedBuffer> outputs;
  for (const BindingInfo& output : engine.outputs()) {
    TENON_ASSIGN(const std::vector<int64_t> dims, context.output_dims(output.name));
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    outputs.emplace_back(output.type, byte_size(output.type, count));
    TENON_RETURN_IF_ERROR(
        context.set_output(output.name, outputs.back().data(), outputs.back().size()));
    results.push_back({output.type, dims, {}, {}});
  }
  TENON_RETURN_IF_ERROR(context.run());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = ops::to_reference({results[i].type, results[i].dims, outputs[i].bytes(), nullptr});
  }
  return results;
}

void expect_equal(const std::vector<ReferenceTensor>& actual,
                  const std::vector<ReferenceTensor>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i));
    EXPECT_EQ(actual[i].type, expected[i].type);
    ASSERT_EQ(actual[i].dims, expected[i].dims);
    EXPECT_EQ(actual[i].integers, expected[i].integers);
    for (size_t j = 0; j < expected[i].reals.size(); ++j) {
      const double a = actual[i].reals[j], b = expected[i].reals[j];
      const bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance;
      EXPECT_TRUE(same) << "element " << j << " is " << a << ", expected " << b;
    }
  }
}

}  // namespace

ReferenceTensor floats(std::vector<int64_t> dims, std::vector<double> values, DataType type) {
  return {type, std::move(dims), std::move(values), {}};
}

ReferenceTensor integers(std::vector<int64_t> dims, std::vector<int64_t> values, DataType type) {
  return {type, std::move(dims), {}, std::move(values)};
}

ReferenceTensor counting(std::vector<int64_t> dims, double first) {
  ReferenceTensor tensor{DataType::f32, std::move(dims), {}, {}};
  tensor.reals.resize(tensor.count());
  std::iota(tensor.reals.begin(), tensor.reals.end(), first);
  return tensor;
}

template <typename T>
T NetworkCase::take(Result<T> result) {
  if (result.ok()) return *std::move(result);
  if (status.ok()) status = result.status();
  return {};
}

NetworkTensor NetworkCase::input(const std::string& name, const ReferenceTensor& value) {
  inputs[name] = ops::to_tensor_data(value);
  return take(network.add_input(name, value.type, {value.dims.begin(), value.dims.end()}));
}

NetworkTensor NetworkCase::constant(const ReferenceTensor& value) {
  return take(
      network.add_constant("constant" + std::to_string(names_++), ops::to_tensor_data(value)));
}

std::vector<NetworkTensor> NetworkCase::nodes(const std::string& op, int64_t opset,
                                              const std::vector<NetworkTensor>& inputs,
                                              Attributes attributes, int output_count) {
  std::vector<NetworkTensor> outputs(output_count);
  if (!status.ok()) return outputs;
  NodeDescription node;
  node.op_type = op;
  node.opset = opset;
  node.inputs = inputs;
  node.attributes = std::move(attributes);
  for (int i = 0; i < output_count; ++i)
    node.output_names.push_back("t" + std::to_string(names_++));
  auto made = take(network.add_node(node));
  return made.empty() ? outputs : made;
}

NetworkTensor NetworkCase::node(const std::string& op, int64_t opset,
                                const std::vector<NetworkTensor>& inputs, Attributes attributes) {
  return nodes(op, opset, inputs, std::move(attributes), 1)[0];
}

void NetworkCase::output(NetworkTensor tensor) {
  if (!status.ok()) return;
  status = network.mark_output("y" + std::to_string(outputs_++), tensor);
}

void expect_outputs(const Make& make, const std::vector<ReferenceTensor>& expected,
                    double tolerance) {
  for (const bool passes : {false, true}) {
    SCOPED_TRACE(passes ? "all passes" : "no passes");
    NetworkCase built;
    make(built);
    ASSERT_TRUE(built.status.ok()) << built.status.to_string();
    BuildOptions options;
    options.checked_kernels = true;
    if (!passes) options.disabled_passes = {"all"};
    const auto plan = build_plan(std::move(built.network), options);
    ASSERT_TRUE(plan.ok()) << plan.status().to_string();
    const Result<Engine> engine = Engine::load_from_memory(*plan);
    ASSERT_TRUE(engine.ok()) << engine.status().to_string();
    const auto results = run(*engine, built.inputs);
    ASSERT_TRUE(results.ok()) << results.status().to_string();
    expect_equal(*results, expected, tolerance);

    SCOPED_TRACE("written and loaded again");
    const auto path = std::filesystem::temp_directory_path() /
                      ("tenon_case." + std::to_string(getpid()) + ".plan");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(plan->data()),
               static_cast<std::streamsize>(plan->size()));
    const Result<Engine> again = Engine::load(path.string());
    std::filesystem::remove(path);
    ASSERT_TRUE(again.ok()) << again.status().to_string();
    const auto repeated = run(*again, built.inputs);
    ASSERT_TRUE(repeated.ok()) << repeated.status().to_string();
    expect_equal(*repeated, *results, 0);
  }
}

void expect_unsupported(const Make& make, const std::string& what) {
  NetworkCase built;
  make(built);
  Status status = built.status;
  if (status.ok()) status = build_plan(std::move(built.network)).status();
  EXPECT_EQ(status.code(), ErrorCode::unsupported) << status.to_string();
  EXPECT_THAT(status.message(), testing::HasSubstr("not supported yet"));
  EXPECT_THAT(status.message(), testing::HasSubstr(what));
}

}  // namespace tenon::conformance
