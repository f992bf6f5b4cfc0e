// SPDX-License-Identifier: Apache-2.0
// Groups of operators as kernels, against the references of their operators one by one.
#include "builder/passes/lower_group.h"

#include "builder/ir/text.h"
#include "builder/loop/functions.h"
#include "builder/loop/interpret.h"
#include "builder/loop/rewrite.h"
#include "builder/loop/text.h"
#include "builder/ops/op.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tenon::passes {
namespace {

constexpr int64_t kSymbolSize = 3;

ops::ReferenceTensor random_tensor(const ir::TensorType& type, uint64_t seed) {
  ops::ReferenceTensor tensor;
  tensor.type = type.type;
  int64_t count = 1;
  for (const ir::Dim& dim : type.shape) {
    tensor.dims.push_back(*dim.evaluate([](const std::string&) { return kSymbolSize; }));
    count *= tensor.dims.back();
  }
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int64_t i = 0; i < count; ++i) {
    if (is_float(type.type)) {
      tensor.reals.push_back(static_cast<float>(uniform(random)));
    } else {
      tensor.integers.push_back(static_cast<int64_t>(random() % 5));
    }
  }
  // Values that the type can represent.
  return ops::to_reference(ops::to_tensor_data(tensor));
}

using Values = std::map<const ir::Value*, ops::ReferenceTensor>;

void run_references(const ir::Region& region, Values& values) {
  for (const auto& node : region.nodes()) {
    if (node->op() == ir::Node::kReturnOp) continue;
    if (const TensorData* data = ir::Graph::constant_of(node->output())) {
      values[node->output()] = ops::to_reference(*data);
      continue;
    }
    ops::Operands operands;
    for (const ir::Value* input : node->inputs()) {
      operands.push_back(input ? &values.at(input) : nullptr);
    }
    ops::Results results;
    for (int i = 0; i < node->output_count(); ++i) {
      ops::ReferenceTensor blank = random_tensor(node->output(i)->type, 1);
      std::fill(blank.reals.begin(), blank.reals.end(), 0);
      results.push_back(&(values[node->output(i)] = blank));
    }
    Status status = ops::run_reference(*node, operands, results);
    ASSERT_TRUE(status.ok()) << status.to_string();
  }
}

// The first group of a graph.
const ir::Node* group_of(const ir::Graph& graph) {
  for (const auto& node : graph.body().nodes()) {
    if (node->op() == ir::Node::kGroupOp) return node.get();
  }
  return nullptr;
}

void expect_agreement(const char* text) {
  auto graph = ir::parse(text);
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  const ir::Node* group = group_of(*graph);
  ASSERT_NE(group, nullptr);
  const ir::Region& region = *group->regions().front();
  Values values;
  std::vector<std::vector<std::byte>> bytes;
  for (int i = 0; i < group->input_count(); ++i) {
    auto tensor = random_tensor(region.parameter(i)->type, static_cast<uint64_t>(i) + 1);
    TensorData data = ops::to_tensor_data(tensor);
    bytes.emplace_back(data.bytes.begin(), data.bytes.end());
    values[region.parameter(i)] = tensor;
  }
  run_references(region, values);
  for (const ir::Value* result : region.results()) {
    bytes.emplace_back(ops::to_tensor_data(values.at(result)).bytes.size(), std::byte{0xa5});
  }
  auto kernel = lower_group(*group);
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  auto again = loop::parse_kernel(loop::to_string(*kernel));
  ASSERT_TRUE(again.ok()) << again.status().to_string() << "\n" << loop::to_string(*kernel);
  EXPECT_EQ(loop::to_string(*again), loop::to_string(*kernel));

  loop::Kernel collapsed = *kernel;
  loop::collapse_axes(collapsed);
  loop::expand_functions(collapsed);
  for (const loop::Kernel* form : {&*kernel, &collapsed}) {
    std::vector<std::span<std::byte>> buffers(bytes.begin(), bytes.end());
    Status status = loop::interpret(*form, {{"N", kSymbolSize}}, buffers);
    ASSERT_TRUE(status.ok()) << status.to_string() << "\n" << loop::to_string(*form);
    for (size_t r = 0; r < region.results().size(); ++r) {
      const ops::ReferenceTensor& expected = values.at(region.results()[r]);
      TensorData data{expected.type, expected.dims, buffers[group->input_count() + r], nullptr};
      ops::ReferenceTensor actual = ops::to_reference(data);
      for (size_t i = 0; i < expected.reals.size(); ++i) {
        ASSERT_NEAR(actual.reals[i], expected.reals[i], 1e-5 * (1 + std::fabs(expected.reals[i])))
            << "output " << r << " element " << i << "\n"
            << loop::to_string(*form);
      }
      EXPECT_EQ(actual.integers, expected.integers);
    }
  }
}

constexpr const char* kSoftmax = R"(graph @g {
  %0 "x" = input : f32[N,2,5]   where 1<=N<=8 opt 4
  %4 = group(%0) (%1 : f32[N,2,5]) {
    %2 = softmax(%1) : f32[N,2,5]
    %3 = relu(%2) : f32[N,2,5]
    return %3
  } : f32[N,2,5]
  output "y" = %4
}
)";

TEST(LowerGroup, AgreesWithTheReferences) {
  expect_agreement(kSoftmax);
  // The same value is normalised and added; a splat and a broadcast operand.
  expect_agreement(R"(graph @g {
  %0 "x" = input : f32[N,6]   where 1<=N<=8 opt 4
  %1 "b" = input : f32[6]
  %9 = group(%0, %1) (%2 : f32[N,6], %3 : f32[6]) {
    %4 = const : f32[] [0.5]
    %5 = add(%2, %3) : f32[N,6]
    %6 = softmax(%5) : f32[N,6]
    %7 = add(%6, %5) : f32[N,6]
    %8 = add(%7, %4) : f32[N,6]
    return %8
  } : f32[N,6]
  output "y" = %9
}
)");
  // Two outputs of one shape.
  expect_agreement(R"(graph @g {
  %0 "x" = input : f32[4,3]
  %5, %6 = group(%0) (%1 : f32[4,3]) {
    %2 = add(%1, %1) : f32[4,3]
    %3 = relu(%2) : f32[4,3]
    return %2, %3
  } : f32[4,3], f32[4,3]
  output "a" = %5
  output "b" = %6
}
)");
}

TEST(LowerGroup, ComputesTheExponentialOfASoftmaxOnce) {
  auto graph = ir::parse(kSoftmax);
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  auto kernel = lower_group(*group_of(*graph));
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  EXPECT_EQ(kernel->grid_rank, 2);
  std::string text = loop::to_string(*kernel);
  size_t first = text.find("exp(");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("exp(", first + 1), std::string::npos) << text;
}

}  // namespace
}  // namespace tenon::passes
