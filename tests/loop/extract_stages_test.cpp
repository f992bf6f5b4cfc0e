// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/extract_stages.h"

#include "builder/loop/text.h"

#include <gtest/gtest.h>

namespace tenon::loop {
namespace {

Buffer buffer(const char* name, ir::Shape shape, bool written) {
  Buffer result;
  result.name = name;
  result.type.shape = std::move(shape);
  result.written = written;
  return result;
}

ExprPointer row_sum(int axis_number, const Dim& extent, const ExprPointer& row) {
  auto reduction = std::make_shared<Reduction>();
  reduction->axes = {{axis_number, extent}};
  reduction->values = {load(0, DataType::f32, {row, axis(axis_number)})};
  reduction->identities = {real_constant(DataType::f32, 0)};
  return reduce(reduction);
}

std::string extracted(Kernel kernel, const ExprPointer& value, const Extents& extents) {
  OutputExpression output;
  output.buffer = 1;
  output.axes = {0, 1};
  output.indices = {axis(0), axis(1)};
  output.value = value;
  extract_stages(kernel, {output}, extents);
  Status status = verify(kernel);
  return status.ok() ? to_string(kernel) : status.to_string();
}

TEST(ExtractStages, SharesReductionsThatDifferInTheNamesOfTheirAxes) {
  Kernel kernel;
  kernel.name = "rows";
  kernel.buffers = {buffer("x", {4, 6}, false), buffer("y", {4, 6}, true)};
  Extents extents = {{0, 4}, {1, 6}, {2, 6}, {3, 6}};
  ExprPointer value = row_sum(2, 6, axis(0)) * row_sum(3, 6, axis(0));
  EXPECT_EQ(extracted(kernel, value, extents), R"(kernel @rows {
  grid i0<4
  axis i1<6
  %0 "x" : f32[4,6]
  %1 "y" : f32[4,6] out
  s0 = sum(i1<6) : load(%0, i0, i1)
  %1[i0, i1] over [i1] = multiply(s0, s0)
}
)");
}

TEST(ExtractStages, LoadsInsideWhereAReductionIsNotWanted) {
  Kernel kernel;
  kernel.name = "padded";
  kernel.buffers = {buffer("x", {4, 6}, false), buffer("y", {5, 6}, true)};
  Extents extents = {{0, 5}, {1, 6}, {2, 6}};
  ExprPointer value = select(binary(ExprOp::less, axis(0), index_constant(4)),
                             row_sum(2, 6, axis(0)), real_constant(DataType::f32, 0));
  EXPECT_EQ(extracted(kernel, value, extents), R"(kernel @padded {
  grid i0<5
  axis i1<6
  %0 "x" : f32[4,6]
  %1 "y" : f32[5,6] out
  s0 = sum(i1<6) : load(%0, minimum(i0, 3), i1)
  %1[i0, i1] over [i1] = select(less(i0, 4), s0, 0.0)
}
)");
}

}  // namespace
}  // namespace tenon::loop
