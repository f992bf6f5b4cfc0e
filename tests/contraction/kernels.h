// SPDX-License-Identifier: Apache-2.0
// Kernels of convolutions and matrix products, built by hand.
#pragma once

#include "builder/loop/kernel.h"

#include <cstdint>
#include <string>

namespace tenon::test {

enum class Epilogue : uint8_t { none, bias_relu, residual, polynomial, gelu };

/// Input is padded already: its height is (oh-1)*stride + (kh-1)*dilation + 1.
struct ConvolutionShape {
  ir::Dim n = 1, oh = 1, ow = 1;
  int64_t ic = 1, oc = 1, kh = 1, kw = 1;  ///< channels of all groups
  int64_t stride = 1, dilation = 1, groups = 1;
  bool channels_last = true;
  Epilogue epilogue = Epilogue::none;
};
std::string to_string(const ConvolutionShape& shape);
loop::Kernel convolution(const ConvolutionShape& shape);

/// y[b, m, n] = sum a[b, m, k] * b[b?, k, n]
struct ProductShape {
  ir::Dim batch = 1, m = 1, n = 1, k = 1;
  bool batched_b = false;     ///< b has the batch axis too
  bool transposed_b = false;  ///< b is [n, k]
  bool constant_b = true;
  DataType type = DataType::f32;
  DataType stored = DataType::f32;  ///< of both operands
  Epilogue epilogue = Epilogue::none;
};
std::string to_string(const ProductShape& shape);
loop::Kernel product(const ProductShape& shape);

}  // namespace tenon::test
