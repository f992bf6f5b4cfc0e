// SPDX-License-Identifier: Apache-2.0
#include <tenon/parser.h>

#include "builder/ir/graph.h"
#include "tests/parser/model_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tenon::parser {
namespace {

using namespace tenon_onnx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A model parsed from memory, with everything the parser says about it.
struct Parsed {
  std::vector<std::byte> bytes;
  ModelSummary summary;
  std::vector<ModelProblem> problems;
  std::vector<std::string> warnings;
  Result<Network> network = Status(ErrorCode::internal, "nothing was parsed");

  explicit Parsed(const ModelMaker& model) : bytes(model.bytes()) {
    ParserOptions options;
    options.summary = &summary;
    options.problems = &problems;
    options.logger = [this](LogLevel level, std::string_view message) {
      if (level == LogLevel::warning) warnings.emplace_back(message);
    };
    network = parse_onnx(bytes, options);
  }
  std::string error() const { return network.status().to_string(); }
  const ir::Region& body() const { return network->graph().body(); }
};

/// x -> Relu -> y, to which tests add what they are about.
ModelMaker small_model(int64_t opset = 17, int64_t ir_version = 8) {
  ModelMaker model(opset, ir_version);
  model.input("x", {"N", 4});
  model.node("Relu", {"x"}, {"y"}, "relu");
  model.output("y");
  return model;
}

TEST(ParseOnnx, ATypicalModel) {
  const Parsed parsed(typical_model());
  ASSERT_TRUE(parsed.network.ok()) << parsed.error();
  const ir::Graph& graph = parsed.network->graph();
  EXPECT_EQ(graph.name, "test");
  ASSERT_EQ(graph.body().parameters().size(), 1u);
  EXPECT_EQ(graph.body().parameter(0)->name, "x");
  EXPECT_EQ(ir::to_string(graph.body().parameter(0)->type), "f32[N,4]");
  EXPECT_THAT(graph.output_names, ElementsAre("y"));
  std::vector<std::string> origins;
  for (const auto& node : graph.body().nodes()) {
    origins.insert(origins.end(), node->origins.begin(), node->origins.end());
  }
  EXPECT_THAT(origins, ::testing::IsSupersetOf({"/head/Gemm", "/head/Relu", "/soften/Relu_0",
                                                "/soften/Softmax_1", "/head/Add"}));
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_TRUE(parsed.warnings.empty());
}

TEST(ParseOnnx, Summary) {
  const Parsed parsed(typical_model());
  EXPECT_EQ(parsed.summary.ir_version, 8);
  EXPECT_EQ(parsed.summary.node_count, 5);
  EXPECT_EQ(parsed.summary.parameter_count, 16);
  EXPECT_EQ(parsed.summary.parameter_bytes, 64);
  EXPECT_THAT(parsed.summary.opsets, ElementsAre(std::pair<std::string, int64_t>("", 17),
                                                 std::pair<std::string, int64_t>("local", 1)));
}

TEST(ParseOnnx, InitializersThatAreInputsAreConstants) {
  for (const int64_t ir_version : {3, 8}) {
    ModelMaker model = small_model(7, ir_version);
    model.input("w", {1, 4});
    model.initializer("w", {1, 4}, {1, 2, 3, 4});
    model.node("Add", {"y", "w"}, {"z"});
    model.output("z");
    const Parsed parsed(model);
    ASSERT_TRUE(parsed.network.ok()) << parsed.error();
    EXPECT_EQ(parsed.body().parameters().size(), 1u);
    EXPECT_EQ(parsed.warnings.size(), ir_version > 3 ? 1u : 0u) << "one for all such inputs";
  }
}

TEST(ParseOnnx, ConstantsKeepTheirElements) {
  ModelMaker model = small_model();
  AttributeProto* value = model.node("Constant", {}, {"c"})->add_attribute();
  value->set_name("value_floats");
  value->set_type(AttributeProto::FLOATS);
  value->add_floats(1.5f);
  value->add_floats(2.5f);
  model.output("c");
  const Parsed parsed(model);
  ASSERT_TRUE(parsed.network.ok()) << parsed.error();
  const TensorData* data = ir::Graph::constant_of(parsed.body().results()[1]);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data->dims, std::vector<int64_t>{2});
  float second = 0;
  std::memcpy(&second, data->bytes.data() + sizeof(float), sizeof(float));
  EXPECT_EQ(second, 2.5f);
}

TEST(ParseOnnx, AllProblemsAtOnce) {
  ModelMaker model = small_model();
  model.node("StringSplit", {"y"}, {"s"}, "/head/StringSplit");
  model.node("Relu", {"s"}, {"t"}, "behind");
  OperatorSetIdProto* acme = model.proto.add_opset_import();
  acme->set_domain("com.acme");
  acme->set_version(1);
  model.node("MyNms", {"t", "y"}, {"u"}, "skipped")->set_domain("com.acme");
  model.node("MyNms", {"y"}, {"v"}, "/post/nms")->set_domain("com.acme");
  model.output("u");
  const Parsed parsed(model);
  ASSERT_FALSE(parsed.network.ok());
  EXPECT_EQ(parsed.network.status().code(), ErrorCode::unsupported);
  ASSERT_EQ(parsed.problems.size(), 2u) << parsed.error();
  EXPECT_EQ(parsed.problems[1].node_index, 4);
  EXPECT_EQ(parsed.problems[1].node_name, "/post/nms");
  EXPECT_EQ(parsed.problems[1].op_type, "com.acme::MyNms-1");
  EXPECT_THAT(parsed.error(),
              HasSubstr("2 of 5 nodes:\n  node 1 \"/head/StringSplit\" StringSplit-17: "));
  EXPECT_THAT(parsed.error(), HasSubstr("\n  node 4 \"/post/nms\" com.acme::MyNms-1: "));
  EXPECT_THAT(parsed.problems[0].reason.message(), Not(HasSubstr("/head/StringSplit")))
      << "the list names the node already";
  EXPECT_THAT(parsed.error(), Not(HasSubstr("behind"))) << "follows from another problem";
}

TEST(ParseOnnx, SubgraphsAreAbsent) {
  ModelMaker model = small_model();
  AttributeProto* branch = model.node("If", {"y"}, {"z"}, "if")->add_attribute();
  branch->set_name("then_branch");
  branch->set_type(AttributeProto::GRAPH);
  branch->mutable_g()->set_name("then");
  EXPECT_EQ(
      Parsed(model).error(),
      "unsupported: 1 of 2 nodes:\n  node 1 \"if\" If-17: not supported yet: subgraph attribute "
      "\"then_branch\"");
}

TEST(ParseOnnx, OldOpsetsAreAbsent) {
  EXPECT_THAT(Parsed(small_model(6)).error(),
              HasSubstr("unsupported: not supported yet: opset 6 of ai.onnx; convert"));
  EXPECT_TRUE(Parsed(small_model(7)).network.ok());
}

TEST(ParseOnnx, WrongGraphs) {
  ModelMaker no_output = small_model();
  no_output.output("nowhere");
  EXPECT_EQ(Parsed(no_output).error(), "invalid model: output \"nowhere\": nothing produces it");
  ModelMaker twice = small_model();
  twice.input("x", {1});
  EXPECT_EQ(Parsed(twice).error(), "invalid model: input \"x\" is given twice");
  ModelMaker initializers = small_model();
  initializers.initializer("w", {1}, {1});
  initializers.initializer("w", {1}, {1});
  EXPECT_EQ(Parsed(initializers).error(), "invalid model: initialiser \"w\" is given twice");
  ModelMaker missing = small_model();
  missing.initializer("w", {4}, {1})->clear_raw_data();
  missing.node("Add", {"y", "w"}, {"z"});
  EXPECT_EQ(Parsed(missing).error(), "invalid model: initialiser \"w\": it has no elements");
  ModelMaker strings = small_model();
  strings.input("s", {1}, TensorProto::STRING);
  EXPECT_EQ(Parsed(strings).error(), "unsupported: input \"s\": not supported yet: string tensors");
  ModelMaker sparse = small_model();
  sparse.proto.mutable_graph()->add_sparse_initializer()->mutable_values()->set_name("sp");
  EXPECT_EQ(Parsed(sparse).error(),
            "unsupported: initialiser \"sp\": not supported yet: sparse tensors");
}

TEST(ParseOnnx, UnusedInitializersCannotBeWrong) {
  ModelMaker model = small_model();
  model.initializer("label", {1}, {})->set_data_type(TensorProto::STRING);
  EXPECT_TRUE(Parsed(model).network.ok());
}

TEST(ParseOnnx, NodesInAnyOrder) {
  ModelMaker model(17);
  model.input("x", {2});
  model.node("Relu", {"t"}, {"y"}, "second");
  model.node("Relu", {"x"}, {"t"}, "first");
  model.output("y");
  EXPECT_TRUE(Parsed(model).network.ok()) << Parsed(model).error();
}

TEST(ParseOnnx, FilesAreMappedAndKept) {
  TemporaryFolder folder;
  ModelMaker model = small_model();
  model.initializer("w", {1, 4}, {1, 2, 3, 4});
  model.node("Add", {"y", "w"}, {"z"}, "add");
  model.output("z");
  const std::string path = folder.write("model.onnx", model.bytes());
  Result<Network> network = parse_onnx(path);
  ASSERT_TRUE(network.ok()) << network.status().to_string();
  int constants = 0;
  for (const auto& node : network->graph().body().nodes()) {
    if (!node->is_constant()) continue;
    ++constants;
    float last = 0;
    std::memcpy(&last, node->tensor("value")->bytes.data() + 3 * sizeof(float), sizeof(float));
    EXPECT_EQ(last, 4.0f);
  }
  EXPECT_EQ(constants, 1);
}

TEST(ParseOnnx, FilesThatAreNoModels) {
  TemporaryFolder folder;
  EXPECT_EQ(parse_onnx((folder.path / "none.onnx").string()).status().code(), ErrorCode::io);
  EXPECT_THAT(parse_onnx(folder.path.string()).status().message(), HasSubstr("is a folder"));
  const std::string empty = folder.write("empty.onnx", {});
  std::vector<ModelProblem> problems;
  ParserOptions options;
  options.problems = &problems;
  EXPECT_THAT(parse_onnx(empty, options).status().message(),
              HasSubstr("empty.onnx: not an ONNX model: it is empty"));
  EXPECT_EQ(problems.size(), 1u);
}

}  // namespace
}  // namespace tenon::parser
