// SPDX-License-Identifier: Apache-2.0
// Roles of axes, rejections in words, and the layouts of packed operands.
#include "builder/loop/contraction.h"
#include "builder/loop/rewrite.h"
#include "tests/contraction/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace tenon::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void replace_body(loop::Kernel& kernel, const loop::ExprPointer& value) {
  auto reduction = std::make_shared<loop::Reduction>(*kernel.stages[0].reduction);
  reduction->values = {value};
  kernel.stages[0].reduction = reduction;
}

std::string rejection(const loop::Kernel& kernel) {
  auto roles = loop::match_contraction(kernel);
  return roles.ok() ? "accepted" : roles.status().message();
}

ConvolutionShape small_convolution() {
  ConvolutionShape shape;
  shape.n = 2;
  shape.oh = 5;
  shape.ow = 6;
  shape.ic = 4;
  shape.oc = 8;
  shape.kh = shape.kw = 3;
  return shape;
}

TEST(MatchContraction, ChannelsLastConvolution) {
  auto roles = loop::match_contraction(convolution(small_convolution()));
  ASSERT_TRUE(roles.ok()) << roles.status().to_string();
  EXPECT_EQ(roles->column, 3);
  EXPECT_THAT(roles->rows, ElementsAre(0, 1, 2));
  EXPECT_THAT(roles->columns, ElementsAre(3));
  EXPECT_THAT(roles->batch, IsEmpty());
  EXPECT_THAT(roles->depth, ElementsAre(5, 6, 4)) << "taps outside, channels inside";
  EXPECT_TRUE(roles->vector_is_constant);
}

TEST(MatchContraction, ChannelsFirstConvolutionRunsAlongTheWidth) {
  ConvolutionShape shape = small_convolution();
  shape.channels_last = false;
  auto roles = loop::match_contraction(convolution(shape));
  ASSERT_TRUE(roles.ok()) << roles.status().to_string();
  EXPECT_EQ(roles->column, 3);
  EXPECT_THAT(roles->rows, ElementsAre(1)) << "the weights are the broadcast operand";
  EXPECT_THAT(roles->columns, ElementsAre(0, 2, 3));
  EXPECT_FALSE(roles->vector_is_constant);
}

TEST(MatchContraction, GroupsBecomeABatchAxis) {
  ConvolutionShape shape = small_convolution();
  shape.groups = 2;
  loop::Kernel kernel = convolution(shape);
  EXPECT_THAT(rejection(kernel), HasSubstr("not sums of multiples"));
  EXPECT_EQ(loop::split_group_axes(kernel), 1);
  const Status verified = loop::verify(kernel);
  EXPECT_TRUE(verified.ok()) << verified.to_string();
  auto roles = loop::match_contraction(kernel);
  ASSERT_TRUE(roles.ok()) << roles.status().to_string();
  EXPECT_THAT(roles->batch, ElementsAre(3));
  EXPECT_EQ(roles->column, 4);
  ASSERT_TRUE(loop::pack_constant_operand(kernel, *roles, 16).ok());
  const ir::TensorType& weights = kernel.buffers[1].type;
  EXPECT_EQ(ir::to_string(weights.shape), "[2,4,2,3,3]");
  EXPECT_EQ(ir::to_string(weights.layout, weights.rank()), "perm(0,1,3,4,2)/block(1:16)");
}

TEST(MatchContraction, BatchedProduct) {
  ProductShape shape;
  shape.batch = 3;
  shape.m = 4;
  shape.n = 5;
  shape.k = 6;
  shape.batched_b = true;
  auto roles = loop::match_contraction(product(shape));
  ASSERT_TRUE(roles.ok()) << roles.status().to_string();
  EXPECT_THAT(roles->batch, ElementsAre(0));
  EXPECT_THAT(roles->rows, ElementsAre(1));
  EXPECT_EQ(roles->column, 2);
}

TEST(MatchContraction, DepthwiseIsRejected) {
  ConvolutionShape shape = small_convolution();
  shape.ic = shape.oc = shape.groups = 8;
  loop::Kernel kernel = convolution(shape);
  loop::split_group_axes(kernel);
  EXPECT_THAT(rejection(kernel), HasSubstr("both operands advance with oc"));
}

TEST(MatchContraction, GuardedPaddingIsRejected) {
  loop::Kernel kernel = convolution(small_convolution());
  const loop::ExprPointer body = kernel.stages[0].reduction->values[0];
  const loop::ExprPointer inside =
      loop::binary(loop::ExprOp::less, loop::axis(5), loop::index_constant(2));
  replace_body(kernel, loop::select(inside, body->args[0], loop::real_constant(DataType::f32, 0)) *
                           body->args[1]);
  EXPECT_EQ(rejection(kernel),
            "the padding of operand 0 is guarded by a select: materialise it first");
}

TEST(MatchContraction, OtherSumsAreRejected) {
  loop::Kernel kernel = convolution(small_convolution());
  const loop::ExprPointer body = kernel.stages[0].reduction->values[0];
  replace_body(kernel, body->args[0] + body->args[1]);
  EXPECT_EQ(rejection(kernel), "the sum is not over a product");
  replace_body(kernel, body->args[0] * loop::unary(loop::ExprOp::absolute, body->args[1]));
  EXPECT_EQ(rejection(kernel), "operand 1 of the product is computed, not loaded");

  kernel = convolution(small_convolution());
  auto largest = std::make_shared<loop::Reduction>(*kernel.stages[0].reduction);
  largest->combiner = loop::Combiner::maximum;
  kernel.stages[0].reduction = largest;
  EXPECT_EQ(rejection(kernel), "the first stage is not a single sum from zero");
}

TEST(MatchContraction, StridedRunTimeColumnsAreRejected) {
  ProductShape shape;
  shape.m = 4;
  shape.n = 5;
  shape.k = 6;
  shape.transposed_b = true;
  shape.constant_b = false;
  EXPECT_THAT(rejection(product(shape)), HasSubstr("stride 6 along n"));
  shape.constant_b = true;
  EXPECT_EQ(rejection(product(shape)), "accepted");
}

TEST(PackConstantOperand, DepthFollowsTheLoops) {
  loop::Kernel kernel = convolution(small_convolution());
  auto roles = loop::match_contraction(kernel);
  ASSERT_TRUE(roles.ok());
  ASSERT_TRUE(loop::pack_constant_operand(kernel, *roles, 32).ok());
  EXPECT_EQ(ir::to_string(kernel.buffers[1].type.layout, 4), "nhwc/block(0:32)");
  auto again = loop::match_contraction(kernel);
  ASSERT_TRUE(again.ok()) << again.status().to_string();
  EXPECT_EQ(again->column, roles->column);
  EXPECT_EQ(again->depth, roles->depth);
}

TEST(PackConstantOperand, RejectsWhatNoLayoutSays) {
  ProductShape shape;
  shape.m = 4;
  shape.n = 5;
  shape.k = 6;
  shape.constant_b = false;
  loop::Kernel kernel = product(shape);
  auto roles = loop::match_contraction(kernel);
  ASSERT_TRUE(roles.ok());
  EXPECT_THAT(loop::pack_constant_operand(kernel, *roles, 16).message(),
              HasSubstr("it is no constant"));
}

}  // namespace
}  // namespace tenon::test
