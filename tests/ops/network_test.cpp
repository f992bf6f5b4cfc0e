// SPDX-License-Identifier: Apache-2.0
// Networks built by hand, without ONNX.
#include "builder/ir/text.h"
#include "builder/ir/verify.h"
#include "builder/ops/op.h"
#include "tests/ops/network_runner.h"

#include <gtest/gtest.h>
#include <tenon/network.h>

namespace tenon {
namespace {

using Dims = std::vector<int64_t>;

TensorData floats_of(const Dims& dims, const std::vector<double>& values) {
  return ops::to_tensor_data(test::reals(dims, values).tensor);
}
TensorData integers_of(const std::vector<int64_t>& values) {
  return ops::to_tensor_data(test::integers({static_cast<int64_t>(values.size())}, values).tensor);
}

NodeDescription node(const std::string& op_type, std::vector<NetworkTensor> inputs,
                     const std::string& output, Attributes attributes = {}) {
  NodeDescription description;
  description.op_type = op_type;
  description.inputs = std::move(inputs);
  description.output_names = {output};
  description.attributes = std::move(attributes);
  return description;
}

TEST(Network, SmallConvolutionalNetwork) {
  Network network("digits");
  const auto image = *network.add_input("image", DataType::f32, {std::string("N"), 1, 4, 4});
  const auto weights =
      *network.add_constant("w", floats_of({2, 1, 3, 3}, std::vector<double>(18, 0.5)));
  const auto matrix = *network.add_constant("m", floats_of({3, 8}, std::vector<double>(24, 1)));
  const auto bias = *network.add_constant("b", floats_of({3}, {0, 1, 2}));
  auto named = node("Conv", {image, weights}, "conv", {{"pads", Dims{1, 1, 1, 1}}});
  named.name = "first";
  const auto conv = (*network.add_node(named))[0];
  const auto relu = (*network.add_node(node("Relu", {conv}, "relu")))[0];
  const auto pool = (*network.add_node(
      node("MaxPool", {relu}, "pool", {{"kernel_shape", Dims{2, 2}}, {"strides", Dims{2, 2}}})))[0];
  const auto flat = (*network.add_node(node("Flatten", {pool}, "flat")))[0];
  const auto dense =
      (*network.add_node(node("Gemm", {flat, matrix, bias}, "dense", {{"transB", int64_t{1}}})))[0];
  const auto scores = (*network.add_node(node("Softmax", {dense}, "scores")))[0];
  ASSERT_TRUE(network.mark_output("scores", scores).ok());

  EXPECT_EQ(ir::verify(network.graph()).to_string(), "ok");
  EXPECT_EQ(ops::verify_operators(network.graph()).to_string(), "ok");
  const std::string text = network.to_text();
  EXPECT_NE(text.find("\"conv\" = conv(%0, %1) {pads=[1,1,1,1]} : f32[N,2,4,4] from(\"first\")"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("{shape=[\"N\",\"8\"]} : f32[N,8] from(\"Flatten_3\")"), std::string::npos)
      << text;

  const auto result = test::run_graph(
      network.graph(), {test::reals({1, 1, 4, 4}, std::vector<double>(16, 1)).tensor});
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  EXPECT_EQ(result->front().dims, (Dims{1, 3}));
  EXPECT_NEAR(result->front().reals[2], 0.66524096, 1e-6);
}

TEST(Network, ShapeComputationsReachReshape) {
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {std::string("N"), 3, 4});
  const auto shape = (*network.add_node(node("Shape", {x}, "shape")))[0];
  const auto zero = *network.add_constant("zero", integers_of({0}));
  const auto rest = *network.add_constant("rest", integers_of({-1}));
  const auto batch = (*network.add_node(node("Gather", {shape, zero}, "batch")))[0];
  const auto wanted =
      (*network.add_node(node("Concat", {batch, rest}, "wanted", {{"axis", int64_t{0}}})))[0];
  // A reshape whose output is another reshape's shape.
  const auto two = *network.add_constant("two", integers_of({2}));
  const auto same = (*network.add_node(node("Reshape", {wanted, two}, "same")))[0];
  const auto y = network.add_node(node("Reshape", {x, same}, "y"));
  ASSERT_TRUE(y.ok()) << y.status().to_string();
  ASSERT_TRUE(network.mark_output("y", (*y)[0]).ok());
  EXPECT_EQ(ir::to_string(network.graph().body().results()[0]->type), "f32[N,12]");
}

TEST(Network, ExpandWithMinusOneKeepsTheDim) {
  // What exporters write for expand(-1, 4): where(wanted == -1, 1, wanted).
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {std::string("N"), 1});
  const auto wanted = *network.add_constant("wanted", integers_of({-1, 4}));
  const auto minus_one = *network.add_constant("minus_one", integers_of({-1}));
  const auto ones = *network.add_constant("ones", integers_of({1, 1}));
  const auto is_open = (*network.add_node(node("Equal", {wanted, minus_one}, "is_open")))[0];
  const auto shape = (*network.add_node(node("Where", {is_open, ones, wanted}, "shape")))[0];
  const auto y = network.add_node(node("Expand", {x, shape}, "y"));
  ASSERT_TRUE(y.ok()) << y.status().to_string();
  ASSERT_TRUE(network.mark_output("y", (*y)[0]).ok());
  EXPECT_EQ(ir::to_string(network.graph().body().results()[0]->type), "f32[N,4]");
}

TEST(Network, SymbolicSlicesAgreeWithOneAnother) {
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {std::string("N"), 4});
  const auto zero = *network.add_constant("zero", integers_of({0}));
  const auto one = *network.add_constant("one", integers_of({1}));
  const auto minus_one = *network.add_constant("minus_one", integers_of({-1}));
  const auto end = *network.add_constant("end", integers_of({INT64_MAX}));
  const auto tail = (*network.add_node(node("Slice", {x, one, end, zero}, "tail")))[0];
  const auto head = (*network.add_node(node("Slice", {x, zero, minus_one, zero}, "head")))[0];
  const auto difference = network.add_node(node("Sub", {tail, head}, "difference"));
  ASSERT_TRUE(difference.ok()) << difference.status().to_string();
  ASSERT_TRUE(network.mark_output("d", (*difference)[0]).ok());
  const auto result = test::run_graph(
      network.graph(), {test::reals({3, 4}, {0, 0, 0, 0, 1, 2, 3, 4, 3, 5, 7, 9}).tensor});
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  EXPECT_EQ(result->front().reals, (std::vector<double>{1, 2, 3, 4, 2, 3, 4, 5}));
}

TEST(Network, DimNamesThatAreNoIdentifiers) {
  Network network;
  const auto x =
      network.add_input("x", DataType::f32, {std::string("batch size"), std::string("2x")});
  const auto y =
      network.add_input("y", DataType::f32, {std::string("batch size"), std::string("batch_size")});
  ASSERT_TRUE(x.ok() && y.ok());
  const auto& body = network.graph().body();
  EXPECT_EQ(body.parameter(0)->type.shape[0], body.parameter(1)->type.shape[0]);
  EXPECT_NE(body.parameter(1)->type.shape[0], body.parameter(1)->type.shape[1]);
  EXPECT_EQ(ir::to_string(body.parameter(0)->type), "f32[batch_size,d2x]");
}

TEST(Network, FoldsWhatChangesNothing) {
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {2});
  const auto y = (*network.add_node(node("Identity", {x}, "y")))[0];
  const auto z = (*network.add_node(node("Dropout", {y}, "z")))[0];
  const auto sum = (*network.add_node(node("Sum", {z}, "sum")))[0];
  ASSERT_TRUE(network.mark_output("sum", sum).ok());
  EXPECT_EQ(network.graph().body().results()[0], network.graph().body().parameter(0));
}

TEST(NetworkErrors, NameTheNodeAndTheReason) {
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {2, 3});
  const auto y = *network.add_input("y", DataType::f32, {4});
  auto wrong = node("Add", {x, y}, "z");
  wrong.name = "/head/Add";
  wrong.index = 12;
  wrong.opset = 14;
  const size_t before = network.graph().body().nodes().size();
  EXPECT_EQ(network.add_node(wrong).status().to_string(),
            "invalid model: node 12 \"/head/Add\" Add-14: shapes [2,3] and [4] do not broadcast: 3 "
            "and 4 differ "
            "and neither is 1");
  EXPECT_EQ(network.graph().body().nodes().size(), before);
  EXPECT_EQ(network.add_node(node("Relu", {}, "z")).status().message(),
            "node Relu-25: relu needs input 0 (X)");
  EXPECT_EQ(network.add_node(node("Relu", {x}, "z", {{"alpha", 1.0}})).status().message(),
            "node Relu-25: relu has no attribute \"alpha\" in Tenon");
  EXPECT_EQ(network.add_node(node("Frobnicate", {x}, "z")).status().message(),
            "node Frobnicate-25: not supported yet: operator Frobnicate");
}

TEST(NetworkErrors, TwoSymbolsDoNotBroadcast) {
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {std::string("N")});
  const auto y = *network.add_input("y", DataType::f32, {std::string("M")});
  const auto sum = network.add_node(node("Add", {x, y}, "z"));
  EXPECT_EQ(sum.status().code(), ErrorCode::unsupported);
  EXPECT_NE(sum.status().message().find("dims N and M"), std::string::npos)
      << sum.status().message();
}

TEST(NetworkErrors, ConstantsThatDoNotFit) {
  Network network;
  TensorData data = floats_of({2}, {1, 2});
  data.dims = {3};
  EXPECT_EQ(network.add_constant("w", data).status().message(),
            "constant \"w\": f32[3] takes 12 bytes, but 8 are given");
  data.dims = {INT64_MAX, INT64_MAX};
  EXPECT_FALSE(network.add_constant("w", data).ok());
  data.dims = {-1};
  EXPECT_FALSE(network.add_constant("w", data).ok());
  EXPECT_FALSE(network.mark_output("y", NetworkTensor()).ok());
  EXPECT_FALSE(network.add_input("x", DataType::f32, {-1}).ok());
}

TEST(NetworkErrors, FailedNodesLeaveNothingBehind) {
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {2});
  const auto y = *network.add_input("y", DataType::f32, {3});
  // The first addition of the chain is made before the second fails.
  EXPECT_FALSE(network.add_node(node("Sum", {x, x, y}, "z")).ok());
  EXPECT_EQ(network.graph().body().nodes().size(), 1u);
}

TEST(NetworkErrors, TensorsThatNoMemoryHolds) {
  Network network;
  const auto scalar = *network.add_constant("c", floats_of({1}, {0}));
  const struct {
    const char* op_type;
    std::vector<int64_t> elements;
  } cases[] = {
      {"Expand", {int64_t{1} << 31, int64_t{1} << 31}},
      {"Expand", {int64_t{1} << 40, int64_t{1} << 20}},
      {"ConstantOfShape", {int64_t{1} << 31, int64_t{1} << 31}},
      {"Pad", {int64_t{1} << 61, int64_t{1} << 61}},
  };
  for (const auto& each : cases) {
    const auto elements = *network.add_constant("s", integers_of(each.elements));
    auto made = node(each.op_type, {scalar, elements}, "y");
    if (made.op_type == "ConstantOfShape") made.inputs.erase(made.inputs.begin());
    const auto outputs = network.add_node(made);
    EXPECT_EQ(outputs.status().code(), ErrorCode::invalid_model) << each.op_type;
    EXPECT_NE(outputs.status().message().find("more elements than an address space"),
              std::string::npos)
        << outputs.status().to_string();
  }
  EXPECT_FALSE(network.add_input("x", DataType::f32, {int64_t{1} << 40, int64_t{1} << 20}).ok());
}

TEST(NetworkErrors, RanksThatNoKernelHolds) {
  Network network;
  const Dims ones(ir::kMaximumRank + 1, 1);
  const std::string expected = "not supported yet: tensors of rank 33; at most 32";
  const auto input =
      network.add_input("x", DataType::f32, std::vector<InputDim>(ones.begin(), ones.end()));
  EXPECT_EQ(input.status().message(), "input \"x\": " + expected);
  EXPECT_NE(network.add_constant("c", floats_of(ones, {1})).status().message().find(expected),
            std::string::npos);
  const auto x = *network.add_input("x", DataType::f32,
                                    std::vector<InputDim>(ir::kMaximumRank, InputDim(int64_t{1})));
  const auto axes = *network.add_constant("axes", integers_of({0}));
  const auto raised = network.add_node(node("Unsqueeze", {x, axes}, "y"));
  EXPECT_EQ(raised.status().code(), ErrorCode::unsupported);
  EXPECT_NE(raised.status().message().find(expected), std::string::npos);
}

TEST(NetworkErrors, AttributesOfTheWrongKind) {
  Network network;
  const auto x = *network.add_input("x", DataType::f32, {1, 2, 8, 8});
  const auto w = *network.add_constant("w", floats_of({2, 2, 3, 3}, std::vector<double>(36, 1)));
  const struct {
    const char *op_type, *name;
    AttributeValue value;
  } cases[] = {
      {"Conv", "strides", std::string("12")},
      {"Conv", "strides", std::vector<double>{1, 2}},
      {"Conv", "group", 1.0},
      {"Conv", "auto_pad", int64_t{3}},
      {"MaxPool", "kernel_shape", int64_t{3}},
      {"Softmax", "axis", Dims{1}},
      {"LeakyRelu", "alpha", std::string("0.1")},
  };
  for (const auto& each : cases) {
    auto made = node(each.op_type, {x}, "y", {{each.name, each.value}});
    if (made.op_type == "Conv") made.inputs.push_back(w);
    const auto outputs = network.add_node(made);
    EXPECT_EQ(outputs.status().code(), ErrorCode::invalid_model) << each.op_type << each.name;
    EXPECT_NE(outputs.status().message().find(std::string("attribute \"") + each.name + "\" is of"),
              std::string::npos)
        << outputs.status().to_string();
  }
}

TEST(Network, ManyPartsAreJoinedByLevels) {
  Network network;
  std::vector<NetworkTensor> parts;
  std::vector<ops::ReferenceTensor> inputs;
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 1100; ++i) {
    parts.push_back(*network.add_input("x" + std::to_string(i), DataType::i64, {i % 2 + 1}));
    inputs.push_back(test::integers({i % 2 + 1}, std::vector<int64_t>(i % 2 + 1, i)).tensor);
    expected.insert(expected.end(), i % 2 + 1, i);
  }
  const auto y = network.add_node(node("Concat", parts, "y", {{"axis", int64_t{0}}}));
  ASSERT_TRUE(y.ok()) << y.status().to_string();
  ASSERT_TRUE(network.mark_output("y", y->front()).ok());
  for (const auto& made : network.graph().body().nodes()) {
    if (made->op() == "concat") EXPECT_LE(made->input_count(), 32);
  }
  const auto outputs = test::run_graph(network.graph(), inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.status().to_string();
  EXPECT_EQ(outputs->front().integers, expected);
}

TEST(Network, ElementsThatLeaveTheirTypeAreNotKnown) {
  const struct {
    DataType type;
    int64_t value;
  } cases[] = {{DataType::i64, int64_t{1} << 62}, {DataType::i32, int64_t{1} << 30}};
  for (const auto& each : cases) {
    Network network;
    const auto a = *network.add_constant(
        "a", ops::to_tensor_data(test::integers({2}, {1, each.value}, each.type).tensor));
    const auto twice = (*network.add_node(node("Add", {a, a}, "twice")))[0];
    ASSERT_TRUE(network.mark_output("twice", twice).ok());
    EXPECT_FALSE(network.graph().body().results()[0]->known_elements)
        << "dims do not wrap as " << to_string(each.type) << " does";
    const auto outputs = test::run_graph(network.graph(), {});
    ASSERT_TRUE(outputs.ok()) << outputs.status().to_string();
    EXPECT_EQ(outputs->front().integers[0], 2);
    EXPECT_LT(outputs->front().integers[1], 0);
  }
}

}  // namespace
}  // namespace tenon
