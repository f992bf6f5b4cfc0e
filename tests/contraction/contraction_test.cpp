// SPDX-License-Identifier: Apache-2.0
// Generated contractions against the interpreter, over odd shapes, layouts, epilogues and targets.
#include "builder/loop/contraction.h"
#include "tests/contraction/compare.h"
#include "tests/contraction/kernels.h"

#include <gtest/gtest.h>

#include <random>

namespace tenon::test {
namespace {

using ir::Dim;

const char* const kTargets[] = {"cpu:x86-64-v3", "cpu:x86-64-v4", "cpu:native"};

Case of(const ConvolutionShape& shape, Symbols symbols = {}) {
  return {to_string(shape), convolution(shape), std::move(symbols),
          static_cast<double>(shape.ic / shape.groups * shape.kh * shape.kw)};
}

Case of(const ProductShape& shape, Symbols symbols = {}) {
  const double depth = static_cast<double>(evaluate(shape.k, symbols));
  return {to_string(shape), product(shape), std::move(symbols), depth};
}

class Contraction : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string name = GetParam();
    if (name == "cpu:x86-64-v4" && !__builtin_cpu_supports("avx512bw")) {
      GTEST_SKIP() << "this processor has no AVX-512";
    }
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
      GTEST_SKIP() << "this processor has no AVX2";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, Contraction, testing::ValuesIn(kTargets));

TEST_P(Contraction, RandomConvolutions) {
  std::mt19937 random(11);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 12; ++round) {
    ConvolutionShape shape;
    shape.n = pick(1, 2);
    shape.oh = pick(1, 9);
    shape.ow = pick(2, 30);
    shape.ic = pick(1, 12);
    shape.oc = pick(2, 40);
    shape.kh = pick(1, 3);
    shape.kw = pick(1, 3);
    shape.stride = pick(1, 2);
    shape.dilation = pick(1, 2);
    shape.epilogue = static_cast<Epilogue>(random() % 3);
    check(of(shape), GetParam());
    if (HasFatalFailure()) return;
  }
}

TEST_P(Contraction, ChannelsFirst) {
  for (const int64_t width : {7, 16, 33}) {
    ConvolutionShape shape;
    shape.oh = 5;
    shape.ow = width;
    shape.ic = 3;
    shape.oc = 13;
    shape.kh = shape.kw = 3;
    shape.channels_last = false;
    shape.epilogue = Epilogue::residual;
    check(of(shape), GetParam());
  }
}

TEST_P(Contraction, Groups) {
  for (const int64_t groups : {2, 4}) {
    ConvolutionShape shape;
    shape.n = 2;
    shape.oh = 4;
    shape.ow = 6;
    shape.ic = 12;
    shape.oc = 40;
    shape.kh = shape.kw = 3;
    shape.groups = groups;
    shape.epilogue = Epilogue::bias_relu;
    check(of(shape), GetParam());
  }
}

TEST_P(Contraction, DynamicHeightWidthAndBatch) {
  ConvolutionShape shape;
  shape.n = Dim::symbol("N");
  shape.oh = Dim::symbol("H");
  shape.ow = Dim::symbol("W");
  shape.ic = 5;
  shape.oc = 18;
  shape.kh = shape.kw = 3;
  shape.epilogue = Epilogue::residual;
  check(of(shape, {{"N", 1}, {"H", 3}, {"W", 7}}), GetParam());
  check(of(shape, {{"N", 2}, {"H", 2}, {"W", 31}}), GetParam());
}

TEST_P(Contraction, RandomProducts) {
  std::mt19937 random(5);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 16; ++round) {
    ProductShape shape;
    shape.batch = pick(1, 3);
    shape.m = pick(1, 40);
    shape.n = pick(2, 90);
    shape.k = pick(1, 40);
    shape.constant_b = random() % 2;
    shape.transposed_b = shape.constant_b && random() % 2;
    shape.batched_b = random() % 2;
    shape.epilogue = static_cast<Epilogue>(random() % 3);
    check(of(shape), GetParam());
    if (HasFatalFailure()) return;
  }
}

TEST_P(Contraction, MatrixVector) {
  for (const int64_t n : {10, 64, 250}) {
    ProductShape shape;
    shape.n = n;
    shape.k = 203;
    shape.transposed_b = true;
    shape.epilogue = Epilogue::bias_relu;
    check(of(shape), GetParam());
  }
}

TEST_P(Contraction, DynamicRowsColumnsAndDepth) {
  ProductShape shape;
  shape.m = Dim::symbol("M");
  shape.n = Dim::symbol("N");
  shape.k = Dim::symbol("K");
  shape.constant_b = false;
  shape.epilogue = Epilogue::residual;
  check(of(shape, {{"M", 1}, {"N", 1}, {"K", 1}}), GetParam());
  check(of(shape, {{"M", 29}, {"N", 70}, {"K", 13}}), GetParam());
  check(of(shape, {{"M", 12}, {"N", 32}, {"K", 0}}), GetParam());
}

TEST_P(Contraction, StoredHalfAndDouble) {
  for (const DataType stored : {DataType::f16, DataType::bf16, DataType::f64}) {
    ProductShape shape;
    shape.m = 5;
    shape.n = 37;
    shape.k = 19;
    shape.stored = stored;
    shape.type = stored == DataType::f64 ? DataType::f64 : DataType::f32;
    check(of(shape), GetParam());
    shape.constant_b = false;
    check(of(shape), GetParam());
  }
}

TEST_P(Contraction, LargeEpilogue) {
  ConvolutionShape shape;
  shape.oh = 3;
  shape.ow = 17;
  shape.ic = 6;
  shape.oc = 45;
  shape.kh = shape.kw = 3;
  for (const Epilogue epilogue : {Epilogue::polynomial, Epilogue::gelu}) {
    shape.epilogue = epilogue;
    check(of(shape), GetParam());
  }
}

TEST_P(Contraction, Checked) {
  ConvolutionShape shape;
  shape.n = Dim::symbol("N");
  shape.oh = 5;
  shape.ow = Dim::symbol("W");
  shape.ic = 6;
  shape.oc = 21;
  shape.kh = shape.kw = 3;
  shape.epilogue = Epilogue::residual;
  check(of(shape, {{"N", 2}, {"W", 19}}), GetParam(), true);
  shape.channels_last = false;
  check(of(shape, {{"N", 1}, {"W", 19}}), GetParam(), true);
}

TEST_P(Contraction, CheckedReportsAShortBuffer) {
  ProductShape shape;
  shape.m = 9;
  shape.n = 40;
  shape.k = 8;
  auto target = codegen::parse_target(GetParam());
  ASSERT_TRUE(target.ok());
  loop::Kernel kernel = product(shape);
  auto roles = loop::match_contraction(kernel);
  ASSERT_TRUE(roles.ok()) << roles.status().to_string();
  const loop::Schedule schedule = loop::contraction_schedules(kernel, *roles, target->unit)[0];
  ASSERT_TRUE(loop::pack_constant_operand(kernel, *roles, schedule.vector_elements).ok());
  auto generated = codegen::generate(kernel, schedule, *target, {.checked = true});
  ASSERT_TRUE(generated.ok()) << generated.status().to_string();
  const LoadedKernel loaded(std::move(*generated), {});
  std::vector<GuardedBytes> storage;
  std::vector<std::span<std::byte>> buffers;
  for (const loop::Buffer& buffer : kernel.buffers) {
    storage.emplace_back(byte_count(buffer.type, {}));
    buffers.push_back(storage.back().bytes());
  }
  EXPECT_EQ(loaded.run(buffers), 0);
  buffers[0] = buffers[0].first(buffers[0].size() - sizeof(float));
  EXPECT_EQ(loaded.run(buffers), 1) << "the last element of the first operand is missing";
}

}  // namespace
}  // namespace tenon::test
