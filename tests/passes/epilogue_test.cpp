// SPDX-License-Identifier: Apache-2.0
// Groups around a contraction still lower to kernels that a register tile can run.
#include "builder/codegen/cpu/target.h"
#include "builder/ir/text.h"
#include "builder/loop/text.h"
#include "builder/passes/lower_group.h"
#include "builder/pipeline.h"
#include "builder/tactics/candidates.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon {
namespace {

struct EpilogueCase {
  const char* name;
  const char* lines;
};

class Epilogue : public testing::TestWithParam<EpilogueCase> {};

TEST_P(Epilogue, IsPartOfOneContraction) {
  auto graph = ir::parse("graph @g {\n" + std::string(GetParam().lines) + "}\n");
  ASSERT_TRUE(graph.ok()) << graph.status().to_string();
  ASSERT_TRUE(run_passes(make_pipeline(), *graph, {}, nullptr).ok());
  const auto target = codegen::parse_target("cpu:x86-64-v3");
  ASSERT_TRUE(target.ok());
  int groups = 0;
  for (const auto& node : graph->body().nodes()) {
    if (node->op() != ir::Node::kGroupOp) continue;
    ++groups;
    const auto kernel = passes::lower_group(*node);
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    const tactics::CandidateList list = tactics::candidates(*kernel, target->unit);
    EXPECT_EQ(list.candidates.front().schedule.family, loop::Family::contraction)
        << testing::PrintToString(list.rejections) << "\n"
        << loop::to_string(*kernel);
  }
  EXPECT_EQ(groups, 1) << ir::print(*graph);
}

constexpr EpilogueCase kCases[] = {
    {"relu", R"(
      %0 "x" = input : f32[1,2,3,4]
      %1 = const : f32[2,2,1,1] [1,2,3,4]
      %2 = conv(%0, %1) : f32[1,2,3,4]
      %3 = relu(%2) : f32[1,2,3,4]
      output "y" = %3
    )"},
    {"bias_batch_norm_residual_relu", R"(
      %0 "x" = input : f32[N,2,3,4] where 1<=N<=8 opt 1
      %1 "r" = input : f32[N,2,3,4]
      %2 = const : f32[2,2,1,1] [1,2,3,4]
      %3 = const : f32[2] [1,2]
      %4 = conv(%0, %2, %3) : f32[N,2,3,4]
      %5 = batch_norm(%4, %3, %3, %3, %3) : f32[N,2,3,4]
      %6 = add(%5, %1) : f32[N,2,3,4]
      %7 = relu(%6) : f32[N,2,3,4]
      output "y" = %7
    )"},
    {"product_with_its_own_sigmoid", R"(
      %0 "x" = input : f32[1,2,3,4]
      %1 = const : f32[2,2,1,1] [1,2,3,4]
      %2 = conv(%0, %1) : f32[1,2,3,4]
      %3 = sigmoid(%2) : f32[1,2,3,4]
      %4 = mul(%2, %3) : f32[1,2,3,4]
      output "y" = %4
    )"},
    {"gemm_with_a_scale_of_the_run", R"(
      %0 "x" = input : f32[N,2] where 1<=N<=8 opt 1
      %1 "s" = input : f32[2]
      %2 = const : f32[2,2] [1,2,3,4]
      %3 = gemm(%0, %2) {transB=1} : f32[N,2]
      %4 = mul(%3, %1) : f32[N,2]
      %5 = tanh(%4) : f32[N,2]
      output "y" = %5
    )"},
};

INSTANTIATE_TEST_SUITE_P(Cases, Epilogue, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tenon
