// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/rewrite.h"
#include "builder/loop/text.h"

#include <gtest/gtest.h>

namespace tenon::loop {
namespace {

std::string collapsed(const char* text) {
  auto kernel = parse_kernel(text);
  if (!kernel.ok()) return kernel.status().to_string();
  collapse_axes(*kernel);
  Status status = verify(*kernel);
  return status.ok() ? to_string(*kernel) : status.to_string();
}

TEST(CollapseAxes, MakesAPointwiseKernelOneLoop) {
  EXPECT_EQ(collapsed(R"(kernel @relu {
  grid i0<1, i1<64, i2<56, i3<56
  %0 "x" : f32[1,64,56,56]
  %1 "y" : f32[1,64,56,56] out
  %1[i0, i1, i2, i3] = maximum(load(%0, i0, i1, i2, i3), 0.0)
}
)"),
            R"(kernel @relu {
  grid i0<200704
  %0 "x" : f32[200704]
  %1 "y" : f32[200704] out
  %1[i0] = maximum(load(%0, i0), 0.0)
}
)");
}

TEST(CollapseAxes, KeepsTheAxisOfABias) {
  EXPECT_EQ(collapsed(R"(kernel @bias {
  grid i0<N, i1<56, i2<56, i3<64
  %0 "x" : f32[N,64,56,56]:nhwc
  %1 "b" : f32[1,64,1,1] const
  %2 "y" : f32[N,64,56,56]:nhwc out
  %2[i0, i3, i1, i2] = add(load(%0, i0, i3, i1, i2), load(%1, 0, i3, 0, 0))
}
)"),
            R"(kernel @bias {
  grid i0<3136*N, i1<64
  %0 "x" : f32[3136*N,64]
  %1 "b" : f32[64] const
  %2 "y" : f32[3136*N,64] out
  %2[i0, i1] = add(load(%0, i0, i1), load(%1, i1))
}
)");
}

TEST(CollapseAxes, MergesReductionAxesAndTiles) {
  EXPECT_EQ(collapsed(R"(kernel @pool {
  grid i0<2, i1<8
  axis i2<7
  axis i3<9
  %0 "x" : f32[2,8,7,9]
  %1 "y" : f32[2,8,7,9] out
  s0[i2, i3] = exp(load(%0, i0, i1, i2, i3))
  s1 = sum(i2<7, i3<9) : s0(i2, i3)
  %1[i0, i1, i2, i3] over [i2, i3] = divide(s0(i2, i3), s1)
}
)"),
            R"(kernel @pool {
  grid i0<16
  axis i1<63
  %0 "x" : f32[16,63]
  %1 "y" : f32[16,63] out
  s0[i1] = exp(load(%0, i0, i1))
  s1 = sum(i1<63) : s0(i1)
  %1[i0, i1] over [i1] = divide(s0(i1), s1)
}
)");
}

// A guard on an axis, a transposed operand and a window keep the axes apart.
TEST(CollapseAxes, MustNotChange) {
  for (const char* text : {R"(kernel @guard {
  grid i0<4, i1<5
  %0 "x" : f32[4,4]
  %1 "y" : f32[4,5] out
  %1[i0, i1] = select(less(i1, 4), load(%0, i0, i1), 0.0)
}
)",
                           R"(kernel @transpose {
  grid i0<4, i1<5
  %0 "x" : f32[5,4]
  %1 "y" : f32[4,5] out
  %1[i0, i1] = load(%0, i1, i0)
}
)",
                           R"(kernel @window {
  grid i0<4, i1<5
  axis i2<3
  %0 "x" : f32[4,7]
  %1 "y" : f32[4,5] out
  s0 = maximum(i2<3) : load(%0, i0, add(i1, i2))
  %1[i0, i1] = s0
}
)"}) {
    EXPECT_EQ(collapsed(text), text);
  }
}

}  // namespace
}  // namespace tenon::loop
