// SPDX-License-Identifier: Apache-2.0
// Operators at values worked out by hand: each case once gave a wrong answer in some engine.
#include "tests/ops/network_runner.h"
#include "tests/support/operator_example.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tenon::test {
namespace {

using Dims = std::vector<int64_t>;
using Reals = std::vector<double>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Runs the node and compares its first output.
void expect_reals(const Result<std::vector<ops::ReferenceTensor>>& actual, const Dims& dims,
                  const Reals& expected, double tolerance = 1e-6) {
  ASSERT_TRUE(actual.ok()) << actual.status().to_string();
  ops::ReferenceTensor wanted = actual->front();
  wanted.dims = dims;
  wanted.reals = expected;
  EXPECT_EQ(difference(actual->front(), wanted, {tolerance, tolerance}), "");
}

void expect_integers(const Result<std::vector<ops::ReferenceTensor>>& actual, const Dims& dims,
                     const std::vector<int64_t>& expected) {
  ASSERT_TRUE(actual.ok()) << actual.status().to_string();
  EXPECT_EQ(actual->front().dims, dims);
  EXPECT_EQ(actual->front().integers, expected);
}

Reals counting(int count, double first = 0) {
  Reals values;
  for (int i = 0; i < count; ++i) values.push_back(first + i);
  return values;
}

TEST(Values, SoftmaxBeforeOpset13FlattensFromAxis1) {
  expect_reals(run_node("Softmax", 11, {reals({1, 2, 2}, {0, 1, 2, 3})}), {1, 2, 2},
               {0.0320586, 0.0871443, 0.2368828, 0.6439143});
  expect_reals(run_node("Softmax", 13, {reals({1, 2, 2}, {0, 1, 2, 3})}), {1, 2, 2},
               {0.2689414, 0.7310586, 0.2689414, 0.7310586});
  expect_reals(run_node("Softmax", 13, {reals({2}, {1000, 1001})}), {2}, {0.2689414, 0.7310586});
}

TEST(Values, GeluHasTwoForms) {
  expect_reals(run_node("Gelu", 20, {reals({1}, {-1})}, {{"approximate", std::string("tanh")}}),
               {1}, {-0.158808});
  expect_reals(run_node("Gelu", 20, {reals({1}, {-1})}), {1}, {-0.158655});
}

TEST(Values, BatchNormalizationUsesTheGivenStatistics) {
  expect_reals(run_node("BatchNormalization", 15,
                        {reals({1, 2}, {23, 44}), reals({2}, {2, 2}), reals({2}, {1, 1}),
                         reals({2}, {1, 1}), reals({2}, {4, 4})},
                        {{"epsilon", 0.0}, {"training_mode", int64_t{0}}}),
               {1, 2}, {23, 44});
  const auto training = run_node(
      "BatchNormalization", 15,
      {reals({1, 1}, {1}), reals({1}, {1}), reals({1}, {1}), reals({1}, {1}), reals({1}, {1})},
      {{"training_mode", int64_t{1}}});
  EXPECT_EQ(training.status().code(), ErrorCode::unsupported);
}

TEST(Values, AveragePoolCountsThePaddingButNotTheOverhang) {
  // Padded to 3 + 9 + 3 = 15; the fourth window starts at 9 and holds 6 of its 7 taps.
  expect_reals(run_node("AveragePool", 19, {reals({1, 1, 9}, counting(9, 1))},
                        {{"kernel_shape", Dims{7}},
                         {"strides", Dims{3}},
                         {"pads", Dims{3, 3}},
                         {"ceil_mode", int64_t{1}},
                         {"count_include_pad", int64_t{1}}}),
               {1, 1, 4}, {10.0 / 7, 28.0 / 7, 39.0 / 7, 24.0 / 6});
  expect_reals(run_node("AveragePool", 19, {reals({1, 1, 3}, {1, 2, 3})},
                        {{"kernel_shape", Dims{3}}, {"pads", Dims{1, 1}}}),
               {1, 1, 3}, {1.5, 2, 2.5});
}

TEST(Values, NoPoolingWindowStartsInTheEndPadding) {
  const auto pooled = run_node("MaxPool", 12, {reals({1, 1, 3, 6, 5}, counting(90))},
                               {{"kernel_shape", Dims{3, 3, 3}},
                                {"strides", Dims{3, 3, 3}},
                                {"pads", Dims{1, 1, 1, 1, 1, 1}},
                                {"ceil_mode", int64_t{1}}});
  ASSERT_TRUE(pooled.ok()) << pooled.status().to_string();
  EXPECT_EQ(pooled->front().dims, (Dims{1, 1, 2, 3, 2}));
  EXPECT_EQ(pooled->front().reals.front(), 36);
  EXPECT_EQ(pooled->front().reals.back(), 89);
}

TEST(Values, MaxPoolKeepsNan) {
  expect_reals(
      run_node("MaxPool", 12, {reals({1, 1, 4}, {1, kNan, 3, 4})}, {{"kernel_shape", Dims{2}}}),
      {1, 1, 3}, {kNan, kNan, 4});
  EXPECT_EQ(
      run_node("MaxPool", 12, {reals({1, 1, 4}, {1, 2, 3, 4})}, {{"kernel_shape", Dims{2}}}, 2)
          .status()
          .to_string(),
      "unsupported: node MaxPool-12: not supported yet: output Indices of MaxPool");
}

TEST(Values, SamePaddingPutsTheOddOneWhereTheNameSays) {
  const std::vector<Given> inputs{reals({1, 1, 4}, {1, 2, 3, 4}), reals({1, 1, 2}, {1, 10})};
  expect_reals(run_node("Conv", 11, inputs, {{"auto_pad", std::string("SAME_UPPER")}}), {1, 1, 4},
               {21, 32, 43, 4});
  expect_reals(run_node("Conv", 11, inputs, {{"auto_pad", std::string("SAME_LOWER")}}), {1, 1, 4},
               {10, 21, 32, 43});
  expect_reals(
      run_node("Conv", 11, inputs, {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Dims{2}}}),
      {1, 1, 2}, {21, 43});
}

TEST(Values, ConvolutionWithGroupsDilationAndBias) {
  expect_reals(run_node("Conv", 11,
                        {reals({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                         reals({2, 1, 2}, {1, 1, 1, -1}), reals({2}, {100, 200})},
                        {{"group", int64_t{2}}, {"dilations", Dims{2}}}),
               {1, 2, 2}, {104, 106, 198, 198});
  // Stride 2, 2-D: rows 0 and 2, columns 0 and 2 of ones(3,3) over 0..24, padded by 1.
  expect_reals(
      run_node("Conv", 11, {reals({1, 1, 5, 5}, counting(25)), reals({1, 1, 3, 3}, Reals(9, 1.0))},
               {{"pads", Dims{1, 1, 1, 1}}, {"strides", Dims{2, 2}}}),
      {1, 1, 3, 3}, {12, 27, 24, 63, 108, 81, 72, 117, 84});
}

TEST(Values, MinAndMaxKeepNan) {
  expect_reals(run_node("Min", 13, {reals({3}, {1, kNan, 3}), reals({3}, {kNan, 2, 1})}), {3},
               {kNan, kNan, 1});
  expect_reals(
      run_node("Max", 13, {reals({3}, {1, kNan, 3}), reals({3}, {kNan, 2, 1}), reals({}, {2})}),
      {3}, {kNan, kNan, 3});
}

TEST(Values, NanPassesThroughActivations) {
  for (const char* op :
       {"Relu", "Sigmoid", "Tanh", "HardSigmoid", "Elu", "LeakyRelu", "Softplus", "Abs", "Selu",
        "Celu", "HardSwish", "Mish", "Shrink", "ThresholdedRelu", "Sign"}) {
    SCOPED_TRACE(op);
    expect_reals(run_node(op, 22, {reals({1}, {kNan})}), {1}, {kNan});
  }
  expect_reals(run_node("Clip", 13, {reals({3}, {kNan, -5, 5}), reals({}, {-1}), reals({}, {1})}),
               {3}, {kNan, -1, 1});
  expect_reals(run_node("Clip", 13, {reals({1}, {0}), reals({}, {kNan}), reals({}, {1})}), {1},
               {kNan});
  expect_reals(run_node("Clip", 6, {reals({2}, {-5, 5})}, {{"min", -1.0}, {"max", 2.0}}), {2},
               {-1, 2});
}

TEST(Values, ReshapeKeepsZerosWhenToldTo) {
  expect_reals(run_node("Reshape", 14, {reals({0, 8, 2}, {}), constant(integers({3}, {4, 2, -1}))}),
               {4, 2, 0}, {});
  expect_reals(run_node("Reshape", 14, {reals({4, 2, 0}, {}), constant(integers({3}, {0, 0, 4}))},
                        {{"allowzero", int64_t{1}}}),
               {0, 0, 4}, {});
  EXPECT_FALSE(
      run_node("Reshape", 14, {reals({2, 3}, counting(6)), constant(integers({2}, {4, -1}))}).ok());
  expect_reals(
      run_node("Reshape", 14, {reals({2, 3}, counting(6)), constant(integers({2}, {0, -1}))}),
      {2, 3}, counting(6));
}

TEST(Values, EmptyTensorsAndScalars) {
  const auto axis0 = constant(integers({1}, {0}));
  expect_reals(run_node("ReduceSum", 13, {reals({0, 4}, {}), axis0}, {{"keepdims", int64_t{0}}}),
               {4}, {0, 0, 0, 0});
  expect_reals(run_node("ReduceMax", 18, {reals({0, 4}, {}), axis0}, {{"keepdims", int64_t{0}}}),
               {4}, Reals(4, -kInfinity));
  expect_integers(
      run_node("Concat", 13, {integers({0}, {}), integers({2}, {7, 8})}, {{"axis", int64_t{0}}}),
      {2}, {7, 8});
  expect_integers(run_node("Shape", 15, {reals({}, {1})}), {0}, {});
  expect_integers(run_node("Shape", 15, {reals({2, 3, 4}, counting(24))},
                           {{"start", int64_t{-2}}, {"end", int64_t{3}}}),
                  {2}, {3, 4});
  expect_integers(run_node("Size", 13, {reals({2, 3}, counting(6))}), {}, {6});
}

TEST(Values, ReductionsAcrossOpsets) {
  const Reals x{1, 2, 3, 4};
  expect_reals(run_node("ReduceSum", 11, {reals({2, 2}, x)}, {{"axes", Dims{-1}}}), {2, 1}, {3, 7});
  expect_reals(run_node("ReduceMean", 18, {reals({2, 2}, x)}), {1, 1}, {2.5});
  expect_reals(
      run_node("ReduceMean", 18, {reals({2, 2}, x)}, {{"noop_with_empty_axes", int64_t{1}}}),
      {2, 2}, x);
  expect_reals(run_node("ReduceL2", 13, {reals({2}, {3, 4})}), {1}, {5});
  expect_reals(run_node("ReduceL1", 13, {reals({2}, {-3, 4})}), {1}, {7});
  expect_reals(run_node("ReduceLogSumExp", 13, {reals({2}, {1000, 1000})}), {1}, {1000.6931}, 1e-4);
  expect_integers(run_node("ReduceProd", 13, {integers({3}, {2, 3, 4})}), {1}, {24});
}

TEST(Values, ArgMaxTiesAndNan) {
  const auto x = reals({4}, {1, 3, 3, 0});
  expect_integers(run_node("ArgMax", 13, {x}), {1}, {1});
  expect_integers(run_node("ArgMax", 13, {x}, {{"select_last_index", int64_t{1}}}), {1}, {2});
  expect_integers(
      run_node("ArgMin", 13, {reals({4}, {1, kNan, -3, kNan})}, {{"keepdims", int64_t{0}}}), {},
      {1});
}

TEST(Values, IntegersWrapAndFloatsSaturate) {
  expect_integers(
      run_node("Add", 14,
               {integers({2}, {127, -128}, DataType::i8), integers({2}, {1, -1}, DataType::i8)}),
      {2}, {-128, 127});
  expect_integers(run_node("Div", 14, {integers({3}, {-7, 7, 5}), integers({3}, {2, -2, 0})}), {3},
                  {-3, -3, 0});
  expect_integers(
      run_node("Mod", 13, {integers({4}, {-7, 7, -7, 7}), integers({4}, {3, -3, -3, 3})}), {4},
      {2, -2, -1, 1});
  expect_integers(
      run_node("Mod", 13, {integers({2}, {-7, 7}), integers({2}, {3, -3})}, {{"fmod", int64_t{1}}}),
      {2}, {-1, 1});
  expect_integers(
      run_node("Cast", 13, {reals({5}, {300, -300, 1.9, -1.9, kNan})}, {{"to", int64_t{3}}}), {5},
      {127, -128, 1, -1, 0});
  expect_integers(run_node("Cast", 13, {reals({3}, {1e30, -1e30, 5})}, {{"to", int64_t{7}}}), {3},
                  {INT64_MAX, INT64_MIN, 5});
  expect_integers(run_node("Cast", 13, {integers({2}, {256, 2})}, {{"to", int64_t{9}}}), {2},
                  {1, 1});
  expect_reals(
      run_node("Cast", 13, {reals({3}, {1.00048828125, 65519, 65520})}, {{"to", int64_t{10}}}), {3},
      {1, 65504, kInfinity}, 0);
  expect_integers(run_node("Pow", 15, {integers({3}, {2, -3, 7}), integers({3}, {10, 3, 0})}), {3},
                  {1024, -27, 1});
  expect_integers(
      run_node("BitShift", 11,
               {integers({3}, {16, 4, 1}, DataType::u8), integers({3}, {1, 2, 8}, DataType::u8)},
               {{"direction", std::string("LEFT")}}),
      {3}, {32, 16, 0});
}

TEST(Values, RoundTiesToEven) {
  expect_reals(run_node("Round", 11, {reals({5}, {0.5, 1.5, 2.5, -0.5, -1.5})}), {5},
               {0, 2, 2, -0.0, -2});
}

TEST(Values, SliceAndItsClamping) {
  const auto vector = [](std::vector<int64_t> values) {
    return constant(integers({static_cast<int64_t>(values.size())}, values));
  };
  const auto x = reals({5}, counting(5));
  expect_reals(run_node("Slice", 13, {x, vector({1}), vector({1000})}), {4}, {1, 2, 3, 4});
  expect_reals(run_node("Slice", 13, {x, vector({-2}), vector({INT64_MAX})}), {2}, {3, 4});
  expect_reals(
      run_node("Slice", 13, {x, vector({-1}), vector({INT64_MIN}), vector({0}), vector({-2})}), {3},
      {4, 2, 0});
  expect_reals(run_node("Slice", 13, {x, vector({3}), vector({1})}), {0}, {});
  expect_reals(run_node("Slice", 9, {x}, {{"starts", Dims{1}}, {"ends", Dims{-1}}}), {3},
               {1, 2, 3});
}

TEST(Values, MovementOperators) {
  const auto x = reals({2, 3}, counting(6));
  expect_reals(run_node("Transpose", 13, {x}), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect_reals(run_node("Gather", 13, {x, integers({2}, {-1, 0})}, {{"axis", int64_t{1}}}), {2, 2},
               {2, 0, 5, 3});
  expect_reals(run_node("Gather", 13, {x, constant(integers({}, {1}))}), {3}, {3, 4, 5});
  EXPECT_FALSE(run_node("Gather", 13, {x, constant(integers({}, {2}))}).ok());
  expect_reals(
      run_node("Pad", 18, {reals({2}, {1, 2}), constant(integers({2}, {1, 2})), reals({}, {9})}),
      {5}, {9, 1, 2, 9, 9});
  expect_reals(run_node("Pad", 2, {reals({2}, {1, 2})}, {{"pads", Dims{-1, 1}}, {"value", 3.0}}),
               {2}, {2, 3});
  expect_reals(run_node("Expand", 13, {reals({2, 1}, {1, 2}), constant(integers({2}, {1, 3}))}),
               {2, 3}, {1, 1, 1, 2, 2, 2});
  expect_reals(run_node("Unsqueeze", 13, {x, constant(integers({2}, {0, -1}))}), {1, 2, 3, 1},
               counting(6));
  expect_reals(run_node("Unsqueeze", 11, {x}, {{"axes", Dims{1}}}), {2, 1, 3}, counting(6));
  expect_reals(run_node("Squeeze", 11, {reals({1, 2, 1}, {1, 2})}), {2}, {1, 2});
  expect_reals(run_node("Squeeze", 13, {reals({1, 2, 1}, {1, 2}), constant(integers({1}, {-1}))}),
               {1, 2}, {1, 2});
  expect_reals(run_node("Flatten", 13, {reals({2, 3, 1}, counting(6))}, {{"axis", int64_t{0}}}),
               {1, 6}, counting(6));
  expect_reals(run_node("ConstantOfShape", 9, {constant(integers({2}, {2, 1}))}), {2, 1}, {0, 0});
}

TEST(Values, SplitsGiveEveryPart) {
  const auto parts =
      run_node("Split", 18, {reals({5}, counting(5))}, {{"num_outputs", int64_t{2}}}, 2);
  ASSERT_TRUE(parts.ok()) << parts.status().to_string();
  EXPECT_EQ((*parts)[0].reals, (Reals{0, 1, 2}));
  EXPECT_EQ((*parts)[1].reals, (Reals{3, 4}));
  const auto sized =
      run_node("Split", 13, {reals({5}, counting(5)), constant(integers({2}, {2, 3}))}, {}, 2);
  ASSERT_TRUE(sized.ok()) << sized.status().to_string();
  EXPECT_EQ((*sized)[1].reals, (Reals{2, 3, 4}));
  EXPECT_FALSE(
      run_node("Split", 13, {reals({5}, counting(5)), constant(integers({2}, {2, 2}))}, {}, 2)
          .ok());
}

TEST(Values, ContractionsAndNorms) {
  expect_reals(run_node("Gemm", 13,
                        {reals({1, 2}, {3, 4}), reals({2, 2}, {1, 0, 0, 1}), reals({2}, {10, 20})},
                        {{"beta", 2.0}}),
               {1, 2}, {23, 44});
  expect_reals(run_node("MatMul", 13, {reals({2, 1, 2}, {1, 2, 3, 4}), reals({2, 1}, {1, 10})}),
               {2, 1, 1}, {21, 43});
  expect_reals(
      run_node("LayerNormalization", 17,
               {reals({1, 2}, {1, 3}), reals({2}, {1, 2}), reals({2}, {0, 5})}, {{"epsilon", 0.0}}),
      {1, 2}, {-1, 7});
  expect_reals(run_node("LRN", 13, {reals({1, 3, 1}, {1, 2, 3})},
                        {{"size", int64_t{3}}, {"alpha", 3.0}, {"beta", 1.0}, {"bias", 1.0}}),
               {1, 3, 1}, {1.0 / 6, 2.0 / 15, 3.0 / 14});
  expect_reals(run_node("Sum", 13, {reals({2}, {1, 2}), reals({1}, {10}), reals({}, {100})}), {2},
               {111, 112});
  expect_reals(run_node("Mean", 13, {reals({2}, {1, 2}), reals({2}, {3, 6})}), {2}, {2, 4});
  expect_reals(run_node("GlobalAveragePool", 1, {reals({1, 2, 2}, {1, 3, 5, 9})}), {1, 2, 1},
               {2, 7});
}

TEST(Values, DropoutPassesAndItsMaskIsTrue) {
  const auto outputs = run_node("Dropout", 13, {reals({2}, {1, 2})}, {}, 2);
  ASSERT_TRUE(outputs.ok()) << outputs.status().to_string();
  EXPECT_EQ((*outputs)[0].reals, (Reals{1, 2}));
  EXPECT_EQ((*outputs)[1].integers, (std::vector<int64_t>{1, 1}));
}

TEST(Values, ReferenceTensorsKeepEveryType) {
  for (int i = 0; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    SCOPED_TRACE(std::string(to_string(type)));
    ops::ReferenceTensor tensor;
    tensor.type = type;
    tensor.dims = {5};
    if (is_float(type))
      tensor.reals = type == DataType::f8e8m0 ? Reals{1, 2, 0.5, 4, kNan} : Reals{1, 0.5, 4, 2, 3};
    else if (type == DataType::boolean || type == DataType::u2)
      tensor.integers = {0, 1, 1, 0, 1};
    else if (is_signed_integer(type))
      tensor.integers = {0, 1, -2, -1, 1};
    else
      tensor.integers = {0, 1, 15, 7, 2};
    const TensorData data = ops::to_tensor_data(tensor);
    EXPECT_EQ(data.bytes.size(), static_cast<size_t>(byte_size(type, 5)));
    EXPECT_EQ(difference(ops::to_reference(data), tensor, {}), "");
  }
}

}  // namespace
}  // namespace tenon::test
