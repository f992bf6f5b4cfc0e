// SPDX-License-Identifier: Apache-2.0
// Small graphs whose answers are easy to get wrong.
#include "tests/conformance/network_case.h"

#include <tenon/runtime.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tenon::conformance {
namespace {

using Integers = std::vector<int64_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(SmallOperators, SoftmaxOfOpset11FlattensFromAxis1) {
  expect_outputs(
      [](NetworkCase& c) {
        c.output(c.node("Softmax", 11, {c.input("x", counting({1, 2, 2}))}));
      },
      {floats({1, 2, 2}, {.0320586, .0871443, .2368828, .6439143})});
}

TEST(SmallOperators, GeluHasTwoForms) {
  expect_outputs(
      [](NetworkCase& c) {
        const NetworkTensor x = c.input("x", floats({1}, {-1}));
        c.output(c.node("Gelu", 20, {x}, {{"approximate", std::string("tanh")}}));
        c.output(c.node("Gelu", 20, {x}));
      },
      {floats({1}, {-0.158808}), floats({1}, {-0.158655})}, 1e-6);
}

TEST(SmallOperators, BatchNormalizationForInferenceUsesTheGivenStatistics) {
  expect_outputs(
      [](NetworkCase& c) {
        const auto of_channels = [&](double a, double b) {
          return c.constant(floats({2}, {a, b}));
        };
        c.output(c.node("BatchNormalization", 15,
                        {c.input("x", floats({1, 2}, {3, 2})), of_channels(1, 1), of_channels(0, 5),
                         of_channels(1, 0), of_channels(4, 1)},
                        {{"epsilon", 0.0}, {"training_mode", int64_t{0}}}));
      },
      {floats({1, 2}, {1, 7})});
}

TEST(SmallOperators, AnOverhangingAverageCountsThePaddedSizeOnly) {
  expect_outputs(
      [](NetworkCase& c) {
        c.output(c.node("AveragePool", 19, {c.input("x", counting({1, 1, 9}, 1))},
                        {{"kernel_shape", Integers{7}},
                         {"strides", Integers{3}},
                         {"pads", Integers{3, 3}},
                         {"ceil_mode", int64_t{1}},
                         {"count_include_pad", int64_t{1}}}));
      },
      {floats({1, 1, 4}, {10. / 7, 28. / 7, 39. / 7, 24. / 6})});
}

TEST(SmallOperators, NoWindowStartsInTheEndPadding) {
  ReferenceTensor expected = floats({1, 1, 2, 3, 2}, {});
  for (const int d : {1, 2}) {
    for (const int h : {1, 4, 5}) {
      for (const int w : {1, 4}) expected.reals.push_back(d * 30 + h * 5 + w);
    }
  }
  expect_outputs(
      [](NetworkCase& c) {
        c.output(c.node("MaxPool", 12, {c.input("x", counting({1, 1, 3, 6, 5}))},
                        {{"kernel_shape", Integers{3, 3, 3}},
                         {"strides", Integers{3, 3, 3}},
                         {"pads", Integers{1, 1, 1, 1, 1, 1}},
                         {"ceil_mode", int64_t{1}}}));
      },
      {expected});
}

TEST(SmallOperators, MinimumOfNanIsNan) {
  expect_outputs(
      [](NetworkCase& c) {
        c.output(c.node(
            "Min", 13,
            {c.input("a", floats({3}, {1, kNan, 3})), c.input("b", floats({3}, {kNan, 2, 1}))}));
      },
      {floats({3}, {kNan, kNan, 1})});
}

TEST(SmallShapes, ZerosInShapesAreCopiedOrMeant) {
  expect_outputs(
      [](NetworkCase& c) {
        const NetworkTensor x = c.input("x", floats({0, 8, 2}, {}));
        const NetworkTensor first =
            c.node("Reshape", 14, {x, c.constant(integers({3}, {4, 2, -1}))});
        c.output(c.node("Reshape", 14, {first, c.constant(integers({3}, {0, 0, 4}))},
                        {{"allowzero", int64_t{1}}}));
      },
      {floats({0, 0, 4}, {})});
}

TEST(SmallShapes, EmptyTensorsAreOrdinary) {
  expect_outputs(
      [](NetworkCase& c) {
        const Attributes axis0{{"axes", Integers{0}}, {"keepdims", int64_t{0}}};
        const NetworkTensor x = c.input("x", floats({0, 4}, {}));
        c.output(c.node("ReduceSum", 11, {x}, axis0));
        c.output(c.node("ReduceMax", 11, {x}, axis0));
        c.output(c.node("Concat", 13,
                        {c.input("e", floats({0}, {})), c.input("b", floats({2}, {5, 6}))},
                        {{"axis", int64_t{0}}}));
        const NetworkTensor shape = c.node("Shape", 13, {c.input("s", floats({}, {3}))});
        c.output(c.node("Slice", 13,
                        {shape, c.constant(integers({1}, {0})), c.constant(integers({1}, {9}))}));
      },
      {floats({4}, {0, 0, 0, 0}), floats({4}, {-kInfinity, -kInfinity, -kInfinity, -kInfinity}),
       floats({2}, {5, 6}), integers({0}, {})});
}

TEST(SmallShapes, AProfileIsOrderedAndMayBeginAtZero) {
  const auto build = [](ShapeRange range) {
    Network network("profile");
    const auto x = network.add_input("x", DataType::f32, {std::string("N"), int64_t{2}});
    NodeDescription relu;
    relu.op_type = "Relu";
    relu.inputs = {*x};
    relu.output_names = {"y"};
    EXPECT_TRUE(network.mark_output("y", network.add_node(relu)->front()).ok());
    BuildOptions options;
    options.shapes["x"] = std::move(range);
    return build_plan(std::move(network), options).status();
  };
  EXPECT_EQ(
      build({{2, 2}, {9, 2}, {8, 2}}).to_string(),
      "bad argument: --shape: input \"x\": N has the range 2:9:8; MIN <= OPT <= MAX is needed");
  EXPECT_EQ(build({{0, 2}, {0, 2}, {8, 2}}).to_string(), "ok");
}

TEST(SmallShapes, ADynamicDimWithoutBoundsIsNotPlannedAsStatic) {
  Network network("unbounded");
  const auto x = network.add_input("x", DataType::f32, {int64_t{2}, std::string("length")});
  EXPECT_TRUE(network.mark_output("y", *x).ok());
  EXPECT_EQ(build_plan(std::move(network)).status().code(), ErrorCode::bad_argument);
}

TEST(SmallFusions, ALayerNormPatternMayGrowAtItsEnd) {
  expect_outputs(
      [](NetworkCase& c) {
        const Attributes last{{"axes", Integers{-1}}};
        const NetworkTensor x = c.input("x", floats({1, 1}, {3}));
        const NetworkTensor centred = c.node("Sub", 13, {x, c.node("ReduceMean", 13, {x}, last)});
        const NetworkTensor square = c.node("Pow", 13, {centred, c.constant(floats({}, {2}))});
        const NetworkTensor variance = c.node("ReduceMean", 13, {square}, last);
        const NetworkTensor sum = c.node("Add", 13, {variance, c.constant(floats({}, {1e-5}))});
        const NetworkTensor normal = c.node("Div", 13, {centred, c.node("Sqrt", 13, {sum})});
        c.output(c.node("Mul", 13, {normal, c.constant(floats({2}, {0, 0}))}));
      },
      {floats({1, 2}, {0, 0})});
}

TEST(SmallFusions, AReshapeMayGiveTheShapeOfAnother) {
  expect_outputs(
      [](NetworkCase& c) {
        const NetworkTensor shape = c.node(
            "Reshape", 13, {c.constant(integers({2, 1}, {2, 3})), c.constant(integers({1}, {2}))});
        c.output(c.node("Reshape", 13, {c.input("x", counting({6})), shape}));
      },
      {counting({2, 3})});
}

TEST(SmallFusions, AGroupedConvolutionTakesAFullShapedAddend) {
  expect_outputs(
      [](NetworkCase& c) {
        const NetworkTensor w = c.constant(floats({2, 1, 1, 1}, {2, 3}));
        const NetworkTensor y =
            c.node("Conv", 11, {c.input("x", counting({1, 2, 1, 2})), w}, {{"group", int64_t{2}}});
        c.output(c.node("Add", 13, {y, c.constant(floats({1, 2, 1, 2}, {10, 20, 30, 40}))}));
      },
      {floats({1, 2, 1, 2}, {10, 22, 36, 49})});
}

TEST(SmallFusions, BetaCountsWhenANormIsFoldedIntoAGemm) {
  expect_outputs(
      [](NetworkCase& c) {
        const auto pair = [&](double a, double b) { return c.constant(floats({2}, {a, b})); };
        const NetworkTensor w = c.constant(floats({2, 2}, {1, 0, 0, 1}));
        const NetworkTensor y = c.node(
            "Gemm", 13, {c.input("x", floats({1, 2}, {3, 4})), w, pair(10, 20)}, {{"beta", 2.0}});
        c.output(c.node("BatchNormalization", 15,
                        {y, pair(2, 2), pair(1, 1), pair(1, 1), pair(4, 4)}, {{"epsilon", 0.0}}));
      },
      {floats({1, 2}, {23, 44})});
}

TEST(SmallFusions, AGraphNeedsNoInputs) {
  expect_outputs(
      [](NetworkCase& c) {
        const NetworkTensor y =
            c.node("PRelu", 16, {c.constant(floats({2}, {-1, 4})), c.constant(floats({1}, {0.5}))});
        const NetworkTensor mean = c.node("ReduceMean", 13, {y}, {{"keepdims", int64_t{0}}});
        c.output(c.node("Greater", 13, {mean, c.constant(floats({}, {0}))}));
      },
      {integers({}, {1}, DataType::boolean)});
}

TEST(SmallPlans, AnOutputOfSeveralMayBeUnused) {
  expect_outputs(
      [](NetworkCase& c) {
        const auto parts = c.nodes(
            "Split", 13, {c.input("x", counting({5})), c.constant(integers({2}, {2, 3}))}, {}, 2);
        c.output(c.node("Relu", 13, {parts[1]}));
      },
      {floats({3}, {2, 3, 4})});
}

TEST(SmallPlans, AnOutputMayBeAnInputAConstantOrAnotherOutput) {
  expect_outputs(
      [](NetworkCase& c) {
        const NetworkTensor x = c.input("x", counting({3}, 1));
        const NetworkTensor y = c.node("Neg", 13, {x});
        for (const NetworkTensor& output : {x, y, y, c.constant(floats({2}, {7, 8}))})
          c.output(output);
      },
      {counting({3}, 1), floats({3}, {-1, -2, -3}), floats({3}, {-1, -2, -3}),
       floats({2}, {7, 8})});
}

struct Missing {
  std::string op;
  int64_t opset;
  std::vector<ReferenceTensor> inputs;
  Attributes attributes;
};

TEST(SmallOperators, WhatIsMissingSaysSo) {
  const ReferenceTensor x = counting({1, 1, 2, 2});
  const std::vector<Missing> all = {
      {"GatherND", 12, {counting({3, 4}), integers({2, 2}, {-1, -1, 0, -2})}, {}},
      {"GatherElements", 11, {counting({3, 4}), integers({3, 1}, {-1, -1, -1})}, {}},
      {"OneHot", 11, {integers({1}, {-1}), integers({}, {5}), floats({2}, {0, 1})}, {}},
      {"Resize",
       11,
       {x, floats({0}, {}), floats({4}, {1, 1, 2, 2})},
       {{"mode", std::string("nearest")}}},
      {"Hardmax", 13, {x}, {}},
      {"TopK", 11, {x, integers({1}, {2})}, {}},
      {"If", 13, {integers({}, {1}, DataType::boolean)}, {}},
      {"ConvTranspose", 11, {x, counting({1, 1, 3, 3})}, {}},
      {"QuantizeLinear", 13, {x, floats({}, {1})}, {}},
      {"DequantizeLinear", 13, {integers({2}, {1, 2}, DataType::i8), floats({}, {1})}, {}},
  };
  for (const Missing& missing : all) {
    SCOPED_TRACE(missing.op);
    expect_unsupported(
        [&](NetworkCase& c) {
          std::vector<NetworkTensor> inputs;
          for (const ReferenceTensor& value : missing.inputs) {
            inputs.push_back(c.input("x" + std::to_string(inputs.size()), value));
          }
          c.output(c.node(missing.op, missing.opset, inputs, missing.attributes));
        },
        missing.op);
  }
}

TEST(SmallOperators, ShapesGivenAtRunTimeAreNotSupportedYet) {
  const ReferenceTensor x = counting({5});
  expect_unsupported(
      [&](NetworkCase& c) {
        const NetworkTensor sizes = c.input("sizes", integers({2}, {2, 3}));
        for (const NetworkTensor& part : c.nodes("Split", 13, {c.input("x", x), sizes}, {}, 2))
          c.output(part);
      },
      "split");
  expect_unsupported(
      [&](NetworkCase& c) {
        c.output(c.node("Unsqueeze", 13, {c.input("x", x), c.input("axes", integers({1}, {0}))}));
      },
      "axes");
}

TEST(SmallPlans, BytesThatAreNoPlanAndCutPlansAreErrors) {
  NetworkCase c;
  c.output(c.node("Relu", 13, {c.input("x", counting({7}))}));
  const auto plan = build_plan(std::move(c.network));
  ASSERT_TRUE(plan.ok()) << plan.status().to_string();
  for (size_t size = 0; size < plan->size(); size += 1 + size / 16) {
    EXPECT_FALSE(Engine::load_from_memory(std::span(*plan).first(size)).ok()) << size << " bytes";
  }
  for (size_t at = 0; at < plan->size(); at += 1 + at / 64) {
    std::vector<std::byte> changed = *plan;
    changed[at] ^= std::byte{0x40};
    const Result<Engine> engine = Engine::load_from_memory(changed);
    if (at < 64) {
      EXPECT_FALSE(engine.ok()) << "byte " << at << " of the header";
    }
  }
}

}  // namespace
}  // namespace tenon::conformance
