// SPDX-License-Identifier: Apache-2.0
// Contractions as the operators of a graph lower to them.
#include "builder/ir/text.h"
#include "builder/passes/lower_group.h"
#include "tests/contraction/compare.h"

#include <gtest/gtest.h>

namespace tenon::test {
namespace {

/// The kernel of the only node with a contraction; input 1 is taken as a weight.
loop::Kernel lowered(const std::string& text) {
  auto graph = ir::parse(text);
  EXPECT_TRUE(graph.ok()) << graph.status().to_string();
  if (!graph.ok()) return {};
  for (const auto& node : graph->body().nodes()) {
    if (node->op() != "conv" && node->op() != "gemm" && node->op() != "matmul") continue;
    auto kernel = passes::lower_group(*node);
    EXPECT_TRUE(kernel.ok()) << kernel.status().to_string();
    if (!kernel.ok()) return {};
    kernel->buffers[1].constant = true;
    return *kernel;
  }
  ADD_FAILURE() << "no contraction in " << text;
  return {};
}

void check_graph(const std::string& text, Symbols symbols, double depth) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    GTEST_SKIP() << "this processor has no AVX2";
  }
  check({text, lowered(text), std::move(symbols), depth}, "cpu:native");
}

TEST(LoweredContraction, Convolution) {
  check_graph(R"(graph @g {
    %0 "x" = input : f32[2,6,9,11]:nhwc
    %1 "w" = input : f32[20,6,3,3]
    %2 "b" = input : f32[20]
    %3 "y" = conv(%0, %1, %2) {pads=[0,0,0,0], strides=[2,1]} : f32[2,20,4,9]:nhwc
    output "y" = %3
  })",
              {}, 54);
}

TEST(LoweredContraction, GroupedConvolution) {
  check_graph(R"(graph @g {
    %0 "x" = input : f32[1,8,5,7]:nhwc
    %1 "w" = input : f32[24,4,2,2]
    %2 "b" = input : f32[24]
    %3 "y" = conv(%0, %1, %2) {group=2} : f32[1,24,4,6]:nhwc
    output "y" = %3
  })",
              {}, 16);
}

TEST(LoweredContraction, PointwiseConvolutionOfADynamicImage) {
  check_graph(R"(graph @g {
    %0 "x" = input : f32[N,6,H,11]:nhwc where 1<=N<=4, 1<=H<=9
    %1 "w" = input : f32[20,6,1,1]
    %2 "b" = input : f32[20]
    %3 "y" = conv(%0, %1, %2) : f32[N,20,H,11]:nhwc
    output "y" = %3
  })",
              {{"N", 2}, {"H", 3}}, 6);
}

TEST(LoweredContraction, Gemm) {
  check_graph(R"(graph @g {
    %0 "x" = input : f32[N,30] where 1<=N<=64
    %1 "w" = input : f32[25,30]
    %2 "b" = input : f32[25]
    %3 "y" = gemm(%0, %1, %2) {transB=1} : f32[N,25]
    output "y" = %3
  })",
              {{"N", 15}}, 30);
}

}  // namespace
}  // namespace tenon::test
