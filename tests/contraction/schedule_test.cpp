// SPDX-License-Identifier: Apache-2.0
// Register tiles, work items and vector axes that shapes ask for.
#include "builder/loop/contraction.h"
#include "tests/contraction/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenon::test {
namespace {

const loop::VectorUnit kNarrow{};
const loop::VectorUnit kWide{512, 32, 32768, 1048576};

std::vector<loop::Schedule> schedules(const loop::Kernel& kernel, const loop::VectorUnit& unit) {
  auto roles = loop::match_contraction(kernel);
  EXPECT_TRUE(roles.ok()) << roles.status().to_string();
  return loop::contraction_schedules(kernel, *roles, unit);
}

ConvolutionShape image(int64_t size) {
  ConvolutionShape shape;
  shape.oh = shape.ow = size;
  shape.ic = shape.oc = 512;
  shape.kh = shape.kw = 3;
  return shape;
}

TEST(ContractionSchedules, TilesFitTheRegisters) {
  for (const loop::VectorUnit& unit : {kNarrow, kWide}) {
    for (const int64_t size : {1, 7, 14, 28, 56, 100}) {
      const auto list = schedules(convolution(image(size)), unit);
      ASSERT_FALSE(list.empty());
      for (const loop::Schedule& schedule : list) {
        const int vectors = schedule.vector_elements / (unit.bits / 32);
        EXPECT_LE(schedule.rows * vectors + vectors + 1, unit.registers) << to_string(schedule);
        EXPECT_TRUE(schedule.packed);
      }
    }
  }
}

TEST(ContractionSchedules, RowsDivideTheWidth) {
  EXPECT_EQ(schedules(convolution(image(56)), kWide)[0].rows, 14);
  EXPECT_EQ(schedules(convolution(image(14)), kWide)[0].rows, 14);
  EXPECT_EQ(schedules(convolution(image(7)), kWide)[0].rows, 7);
}

TEST(ContractionSchedules, RunTimeRowStridesTakeAtMostTwelveRows) {
  ProductShape shape;
  shape.m = ir::Dim::symbol("M");
  shape.k = ir::Dim::symbol("K");
  shape.n = 256;
  for (const loop::Schedule& schedule : schedules(product(shape), kWide)) {
    EXPECT_LE(schedule.rows, 12) << to_string(schedule);
  }
}

TEST(ContractionSchedules, OneRowSumsInParts) {
  ProductShape shape;
  shape.n = shape.k = 4096;
  const loop::Schedule best = schedules(product(shape), kWide)[0];
  EXPECT_EQ(best.rows, 1);
  EXPECT_GE(best.unroll * best.vector_elements / 16, 8) << to_string(best);
}

TEST(ContractionSchedules, NarrowOutputsTakeNarrowTiles) {
  ProductShape shape;
  shape.m = 64;
  shape.n = 10;
  shape.k = 64;
  for (const loop::Schedule& schedule : schedules(product(shape), kWide)) {
    EXPECT_EQ(schedule.vector_elements, 16) << to_string(schedule);
  }
}

TEST(GeneralSchedule, PointwiseRunsAlongTheUnitStride) {
  loop::Kernel kernel;
  kernel.grid_rank = 3;
  kernel.axes = {{"c", 64}, {"h", 100}, {"w", 300}};
  const ir::Layout hwc{{1, 2, 0}, {}};
  kernel.buffers = {{"x", {DataType::f32, {64, 100, 300}, hwc}, false, false},
                    {"y", {DataType::f32, {64, 100, 300}, hwc}, true, false}};
  loop::Stage stage;
  const std::vector<loop::ExprPointer> at = {loop::axis(0), loop::axis(1), loop::axis(2)};
  stage.values = {loop::unary(loop::ExprOp::absolute, loop::load(0, DataType::f32, at))};
  stage.buffer = 1;
  stage.indices = at;
  kernel.stages = {stage};
  const loop::Schedule wide = loop::general_schedule(kernel, kWide);
  EXPECT_EQ(wide.vector_axis, 0);
  EXPECT_EQ(wide.vector_elements, 64) << "as wide as the axis, not wider";
  EXPECT_EQ(wide.tile[0], 64);
  EXPECT_GT(wide.tile[2], 1) << "64 elements are no work item";
  EXPECT_LT(wide.tile[1] * wide.tile[2], 1000);
}

TEST(GeneralSchedule, SumsOverContiguousRowsRunAlongTheSum) {
  loop::Kernel kernel;
  kernel.grid_rank = 1;
  kernel.axes = {{"row", 128}, {"r", 1000}};
  kernel.buffers = {{"x", {DataType::f32, {128, 1000}, {}}, false, false},
                    {"y", {DataType::f32, {128}, {}}, true, false}};
  auto sum = std::make_shared<loop::Reduction>();
  sum->axes = {{1, 1000}};
  sum->values = {loop::load(0, DataType::f32, {loop::axis(0), loop::axis(1)})};
  sum->identities = {loop::real_constant(DataType::f32, 0)};
  loop::Stage stage;
  stage.reduction = sum;
  stage.buffer = 1;
  stage.indices = {loop::axis(0)};
  kernel.stages = {stage};
  EXPECT_EQ(loop::general_schedule(kernel, kWide).vector_axis, 1);

  // Sums over columns: neighbouring sums are neighbours in memory.
  kernel.buffers[0].type.shape = {1000, 128};
  auto columns = std::make_shared<loop::Reduction>(*sum);
  columns->values = {loop::load(0, DataType::f32, {loop::axis(1), loop::axis(0)})};
  kernel.stages[0].reduction = columns;
  EXPECT_EQ(loop::general_schedule(kernel, kWide).vector_axis, 0);
}

}  // namespace
}  // namespace tenon::test
