// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/text.h"
#include "builder/loop/interpret.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tenon::loop {
namespace {

constexpr const char* kMatmul = R"(kernel @matmul {
  grid i0<N, i1<56
  axis i2<64
  operations 7168
  %0 "x" : f32[N,64]
  %1 "w" : f32[64,56] const
  %2 "y" : f32[N,56] out
  s0 = sum(i2<64) : multiply(load(%0, i0, i2), load(%1, i2, i1))
  %2[i0, i1] = maximum(s0, 0.0)
}
)";

constexpr const char* kSoftmax = R"(kernel @softmax {
  grid i0<N
  axis i1<5
  %0 "x" : f32[N,5]
  %1 "y" : f32[N,5] out
  s0 = maximum(i1<5) : load(%0, i0, i1)
  s1[i1] = exp(subtract(load(%0, i0, i1), s0))
  s2 = sum(i1<5) : s1(i1)
  %1[i0, i1] over [i1] = divide(s1(i1), s2)
}
)";

constexpr const char* kArgmax = R"(kernel @argmax {
  grid
  axis i0<7
  %0 "x" : f32[7]
  %1 "y" : i64[] out
  s0 = custom(i0<7) from (-inf, 0) join (select(less(state, next), next, state), select(less(state, next), next.1, state.1)) : (load(%0, i0), i0)
  %1[] = s0.1
}
)";

constexpr const char* kEverything = R"(kernel @"two words" {
  grid i0<4*H+1
  axis i1<3
  %0 "a\"b" : f16[H,3]:perm(1,0)
  %1 "c" : u8[3]
  %2 "y" : f32[4*H+1,3] out
  t0 = multiply(cast(f32, load(%1, i1)), 2.5)
  %2[i0, i1] over [i1] = select(less(i0, dim(H)), add(cast(f32, load(%0, i0, i1)), t0), add(t0, cast(f32, bitcast(f64, 5:u64))))
}
)";

class KernelText : public testing::TestWithParam<const char*> {};

TEST_P(KernelText, ParsesBack) {
  auto kernel = parse_kernel(GetParam());
  ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
  EXPECT_TRUE(verify(*kernel).ok()) << verify(*kernel).to_string();
  EXPECT_EQ(to_string(*kernel), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Texts, KernelText,
                         testing::Values(kMatmul, kSoftmax, kArgmax, kEverything));

TEST(KernelText, SaysWhereItIsWrong) {
  std::string text = kMatmul;
  text.replace(text.find("i2, i1)"), 7, "i2, i7)");
  auto kernel = parse_kernel(text);
  ASSERT_FALSE(kernel.ok());
  EXPECT_NE(kernel.status().message().find("line 8"), std::string::npos)
      << kernel.status().message();
}

TEST(KernelVerify, RejectsAForeignAxis) {
  auto kernel = parse_kernel(kSoftmax);
  ASSERT_TRUE(kernel.ok());
  kernel->stages[3].inner_axes.clear();
  Status status = verify(*kernel);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "kernel @softmax: stage s3: axis 1 belongs neither to it nor to the grid");
}

TEST(KernelVerify, RejectsPointsThatStoreToOneElement) {
  auto kernel = parse_kernel(kMatmul);
  ASSERT_TRUE(kernel.ok());
  kernel->stages[1].indices[1] = index_constant(0);
  EXPECT_FALSE(verify(*kernel).ok());
}

template <typename T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return {reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(T)};
}

TEST(Interpret, RunsSoftmax) {
  auto kernel = parse_kernel(kSoftmax);
  ASSERT_TRUE(kernel.ok());
  std::vector<float> x = {1, 2, 3, 4, 5, -1, 0, 1, 0, -1}, y(10);
  std::vector<std::span<std::byte>> buffers = {bytes_of(x), bytes_of(y)};
  Status status = interpret(*kernel, {{"N", 2}}, buffers);
  ASSERT_TRUE(status.ok()) << status.to_string();
  for (int row = 0; row < 2; ++row) {
    double total = 0;
    for (int i = 0; i < 5; ++i) total += std::exp(x[row * 5 + i]);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(y[row * 5 + i], std::exp(x[row * 5 + i]) / total, 1e-6) << row << "," << i;
    }
  }
}

TEST(Interpret, RunsATupleReduction) {
  auto kernel = parse_kernel(kArgmax);
  ASSERT_TRUE(kernel.ok());
  std::vector<float> x = {1, 7, 3, 7, 5, -1, 0};
  std::vector<int64_t> y(1);
  std::vector<std::span<std::byte>> buffers = {bytes_of(x), bytes_of(y)};
  Status status = interpret(*kernel, {}, buffers);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(y[0], 1);
}

TEST(Interpret, TakesOnlyTheChosenSideAndReadsPermutedLayouts) {
  auto kernel = parse_kernel(kEverything);
  ASSERT_TRUE(kernel.ok());
  // H = 1: a is [1,3] in column order, halves 1, 2, 3; rows beyond H take the other side.
  std::vector<uint16_t> a = {0x3c00, 0x4000, 0x4200};
  std::vector<uint8_t> c = {10, 20, 30};
  std::vector<float> y(15);
  std::vector<std::span<std::byte>> buffers = {bytes_of(a), bytes_of(c), bytes_of(y)};
  Status status = interpret(*kernel, {{"H", 1}}, buffers);
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_EQ(y[0], 26);
  EXPECT_EQ(y[2], 78);
  EXPECT_EQ(y[3], 25);
  EXPECT_EQ(y[14], 75);
}

TEST(Interpret, FindsALoadOutsideItsShape) {
  std::string text = kEverything;
  text.replace(text.find("less(i0, dim(H))"), 16, "less_equal(i0, dim(H))");
  auto kernel = parse_kernel(text);
  ASSERT_TRUE(kernel.ok());
  std::vector<uint16_t> a(3);
  std::vector<uint8_t> c(3);
  std::vector<float> y(15);
  std::vector<std::span<std::byte>> buffers = {bytes_of(a), bytes_of(c), bytes_of(y)};
  Status status = interpret(*kernel, {{"H", 1}}, buffers);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("buffer %0 is outside its shape, at [1,0]"), std::string::npos)
      << status.message();
}

TEST(ScheduleText, ParsesBack) {
  for (const char* text : {"general", "general v=i3x64 tile=[1,8,0]", "general 1x8",
                           "contraction 14x32 rows=i2 v=i1 unroll=1 packed",
                           "contraction 6x64 rows=i0 v=i1 unroll=4 tile=[2]"}) {
    auto schedule = parse_schedule(text);
    ASSERT_TRUE(schedule.ok()) << schedule.status().to_string();
    EXPECT_EQ(to_string(*schedule), text);
    EXPECT_EQ(*parse_schedule(to_string(*schedule)), *schedule);
  }
  EXPECT_FALSE(parse_schedule("general v=3").ok());
  EXPECT_FALSE(parse_schedule("").ok());
}

}  // namespace
}  // namespace tenon::loop
