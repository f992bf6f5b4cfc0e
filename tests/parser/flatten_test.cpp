// SPDX-License-Identifier: Apache-2.0
#include "parser/flatten.h"

#include "tests/parser/model_maker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::parser {
namespace {

using namespace tenon_onnx;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Flat {
  Problems problems;
  FailedValues failed;
  std::vector<FlatNode> nodes;
  explicit Flat(const ModelMaker& model) : nodes(flatten(model.proto, problems, failed)) {}
  std::string error() const { return problems.summary(1).to_string(); }
};

TEST(Flatten, KeepsNodesAsTheyAre) {
  ModelMaker model(13);
  model.node("Relu", {"x"}, {"y"}, "/relu")->set_domain("ai.onnx");
  model.node("Add", {"y", ""}, {"z"});
  const Flat flat(model);
  ASSERT_EQ(flat.nodes.size(), 2u) << flat.error();
  EXPECT_EQ(flat.nodes[0].name, "/relu");
  EXPECT_EQ(flat.nodes[0].label(), "Relu-13");
  EXPECT_EQ(flat.nodes[1].name, "Add_1") << "a node without a name is called by its place";
  EXPECT_EQ(flat.nodes[1].index, 1);
  EXPECT_THAT(flat.nodes[1].inputs, ElementsAre("y", ""));
}

TEST(Flatten, PutsAFunctionInPlace) {
  ModelMaker model(17);
  FunctionProto* function = model.function("Twice", {"a", "unused"}, {"b"});
  add_node(*function, "Relu", {"a"}, {"t"});
  add_node(*function, "Add", {"t", "unused"}, {"b"});
  function->mutable_opset_import(0)->set_version(14);
  model.call("Twice", {"x"}, {"y"}, "one");
  model.call("Twice", {"y"}, {"z"}, "/two");
  const Flat flat(model);
  ASSERT_EQ(flat.nodes.size(), 4u) << flat.error();
  EXPECT_EQ(flat.nodes[0].name, "/one/Relu_0");
  EXPECT_EQ(flat.nodes[3].name, "/two/Add_1");
  EXPECT_EQ(flat.nodes[0].opset, 14) << "the function's own import";
  EXPECT_THAT(flat.nodes[0].inputs, ElementsAre("x"));
  EXPECT_THAT(flat.nodes[0].outputs, ElementsAre("/one/t"));
  EXPECT_THAT(flat.nodes[1].inputs, ElementsAre("/one/t", ""))
      << "an input that the call leaves out";
  EXPECT_THAT(flat.nodes[1].outputs, ElementsAre("y"));
  EXPECT_THAT(flat.nodes[2].inputs, ElementsAre("y"));
  EXPECT_EQ(flat.nodes[3].index, 1);
}

TEST(Flatten, InnerNamesDoNotClash) {
  ModelMaker model;
  FunctionProto* function = model.function("F", {"a"}, {"b"});
  add_node(*function, "Relu", {"a"}, {"t"});
  add_node(*function, "Relu", {"t"}, {"b"});
  model.node("Relu", {"x"}, {"/f/t"});
  model.call("F", {"/f/t"}, {"y"}, "f");
  model.call("F", {"y"}, {"z"}, "f");
  const Flat flat(model);
  ASSERT_EQ(flat.nodes.size(), 5u) << flat.error();
  EXPECT_THAT(flat.nodes[1].outputs, ElementsAre("/f/t_2"));
  EXPECT_THAT(flat.nodes[3].outputs, ElementsAre("/f/t_3"));
}

TEST(Flatten, NestedFunctionsPassAttributesOn) {
  ModelMaker model;
  FunctionProto* inner = model.function("Inner", {"a"}, {"b"});
  inner->add_attribute("axis");
  add_reference(*add_node(*inner, "Softmax", {"a"}, {"b"}), "axis", "axis");
  FunctionProto* outer = model.function("Outer", {"a"}, {"b"});
  AttributeProto* with_default = outer->add_attribute_proto();
  with_default->set_name("dim");
  with_default->set_type(AttributeProto::INT);
  with_default->set_i(7);
  NodeProto* call = add_node(*outer, "Inner", {"a"}, {"b"});
  call->set_domain("local");
  add_reference(*call, "axis", "dim");
  add_integer(*model.call("Outer", {"x"}, {"y"}, "given"), "dim", 2);
  model.call("Outer", {"y"}, {"z"}, "defaulted");
  model.call("Inner", {"z"}, {"w"}, "absent");
  const Flat flat(model);
  ASSERT_EQ(flat.nodes.size(), 3u) << flat.error();
  EXPECT_EQ(flat.nodes[0].name, "/given/Inner_0/Softmax_0");
  ASSERT_EQ(flat.nodes[0].attributes.size(), 1u);
  EXPECT_EQ(flat.nodes[0].attributes[0].name, "axis");
  EXPECT_EQ(flat.nodes[0].attributes[0].value->i(), 2);
  EXPECT_EQ(flat.nodes[1].attributes[0].value->i(), 7);
  EXPECT_TRUE(flat.nodes[2].attributes.empty()) << "neither given nor a default";
}

TEST(Flatten, OverloadsAreDifferentFunctions) {
  ModelMaker model;
  add_node(*model.function("F", {"a"}, {"b"}), "Relu", {"a"}, {"b"});
  FunctionProto* other = model.function("F", {"a"}, {"b"});
  other->set_overload("neg");
  add_node(*other, "Neg", {"a"}, {"b"});
  model.call("F", {"x"}, {"y"}, "plain");
  model.call("F", {"y"}, {"z"}, "negated")->set_overload("neg");
  const Flat flat(model);
  ASSERT_EQ(flat.nodes.size(), 2u) << flat.error();
  EXPECT_EQ(flat.nodes[0].op_type, "Relu");
  EXPECT_EQ(flat.nodes[1].op_type, "Neg");
}

TEST(Flatten, OutputsThatAreInputsAreCopied) {
  ModelMaker model;
  FunctionProto* function = model.function("Pass", {"a"}, {"a", "b", "b"});
  add_node(*function, "Relu", {"a"}, {"b"});
  model.call("Pass", {"x"}, {"same", "y", "z"}, "pass");
  const Flat flat(model);
  ASSERT_EQ(flat.nodes.size(), 3u) << flat.error();
  EXPECT_THAT(flat.nodes[0].outputs, ElementsAre("y"));
  EXPECT_EQ(flat.nodes[1].op_type, "Identity");
  EXPECT_THAT(flat.nodes[1].inputs, ElementsAre("x"));
  EXPECT_THAT(flat.nodes[1].outputs, ElementsAre("same"));
  EXPECT_THAT(flat.nodes[2].inputs, ElementsAre("y"));
  EXPECT_THAT(flat.nodes[2].outputs, ElementsAre("z"));
}

TEST(Flatten, FunctionsReplaceOperatorsOfTheSameName) {
  ModelMaker model;
  FunctionProto* function = model.function("Gelu", {"a"}, {"b"});
  function->set_domain("");
  add_node(*function, "Relu", {"a"}, {"b"});
  model.node("Gelu", {"x"}, {"y"});
  const Flat flat(model);
  ASSERT_EQ(flat.nodes.size(), 1u) << flat.error();
  EXPECT_EQ(flat.nodes[0].op_type, "Relu");
}

TEST(Flatten, RecursionIsRefused) {
  ModelMaker model;
  add_node(*model.function("A", {"a"}, {"b"}), "B", {"a"}, {"b"})->set_domain("local");
  add_node(*model.function("B", {"a"}, {"b"}), "A", {"a"}, {"b"})->set_domain("local");
  model.call("A", {"x"}, {"y"}, "a");
  const Flat flat(model);
  EXPECT_THAT(flat.error(),
              HasSubstr("node 0 \"/a/B_0/A_0\" local::A-0: function \"A\" calls itself"));
  EXPECT_TRUE(flat.failed.contains("y"));
}

TEST(Flatten, DoublingFunctionsEnd) {
  ModelMaker model;
  for (int i = 0; i < 60; ++i) {
    FunctionProto* function = model.function("F" + std::to_string(i), {"a"}, {"b"});
    for (const char* output : {"t", "b"}) {
      add_node(*function, "F" + std::to_string(i + 1), {"a"}, {output})->set_domain("local");
    }
  }
  add_node(*model.function("F60", {"a"}, {"b"}), "Relu", {"a"}, {"b"});
  model.call("F0", {"x"}, {"y"}, "f");
  EXPECT_THAT(Flat(model).error(), HasSubstr("more than 250000 nodes"));
}

TEST(Flatten, WrongCallsAreProblems) {
  ModelMaker model;
  model.function("F", {"a"}, {"b"});
  model.call("F", {"x", "x"}, {"y"}, "inputs");
  model.call("F", {"x"}, {"y", "z"}, "outputs");
  EXPECT_THAT(Flat(model).error(), HasSubstr("function \"F\" has 1 inputs, and the call gives 2"));
  EXPECT_THAT(Flat(model).error(), HasSubstr("function \"F\" has 1 outputs, and the call gives 2"));
}

TEST(Flatten, DomainsNeedAnImport) {
  ModelMaker model;
  model.node("MyNms", {"x"}, {"y"}, "nms")->set_domain("com.acme");
  EXPECT_THAT(Flat(model).error(), HasSubstr("imports no opset of domain \"com.acme\""));
}

}  // namespace
}  // namespace tenon::parser
