// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/verify.h"

#include "builder/ir/constant.h"
#include "builder/ir/text.h"

#include <gtest/gtest.h>

#include <functional>

namespace tenon::ir {
namespace {

Graph sound() {
  Result<Graph> graph = parse(R"(graph @g {
    %0 "x" = input : f32[N,3,8,8] where 1<=N<=64
    %1 "w" = const : f32[2] [1,2]
    %2 "h" = conv(%0, %1) : f32[N,3,8,8]:nhwc from("Conv_0")
    %3 "y" = group(%2) (%4 : f32[N,3,8,8]:nhwc) {
      %5 = relu(%4) : f32[N,3,8,8]:nhwc
      return %5
    } : f32[N,3,8,8]:nhwc from("Relu_1", "Clip_2")
    output "y" = %3
  })");
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return std::move(*graph);
}

Node* find(Region& region, const std::string& op) {
  for (Node* node : region.node_list()) {
    if (node->op() == op) return node;
  }
  return nullptr;
}

struct Case {
  std::string message;
  std::function<void(Graph&)> damage;
};

TEST(Verify, AcceptsSoundGraphs) {
  const Graph graph = sound();
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).message();
  EXPECT_TRUE(verify(Graph()).ok()) << verify(Graph()).message();
}

TEST(Verify, NamesWhatIsWrong) {
  const Case cases[] = {
      {"node conv of \"h\" from \"Conv_0\", input 0: output 0 \"y\" of node group of \"y\" from "
       "\"Relu_1\", \"Clip_2\" is not defined before this use",
       [](Graph& g) {
         Node* conv = find(g.body(), "conv");
         Node* group = find(g.body(), "group");
         conv->set_input(0, group->output());
       }},
      {"node relu, input 0: parameter 0 \"x\" belongs to another region",
       [](Graph& g) {
         Region& inner = *find(g.body(), "group")->regions()[0];
         find(inner, "relu")->set_input(0, g.body().parameter(0));
       }},
      {"belongs to another region",
       [](Graph& g) {
         Region& inner = *find(g.body(), "group")->regions()[0];
         inner.terminator()->set_input(0, find(g.body(), "conv")->output());
       }},
      {"output 0 \"h\" of node conv of \"h\" from \"Conv_0\": the layout perm(0,1) does not fit 4 "
       "axes",
       [](Graph& g) {
         find(g.body(), "conv")->output()->type.layout.permutation = {0, 1};
       }},
      {"the body of the graph has a return that is not its last node",
       [](Graph& g) { g.body().insert("return", {}); }},
      {"the body of the graph does not end in return",
       [](Graph& g) { g.body().move_before(g.body().terminator(), find(g.body(), "conv")); }},
      {"a return node has outputs",
       [](Graph& g) {
         g.body().terminator()->add_output({DataType::f32, {}, {}});
       }},
      {"node const of \"w\" has 4 bytes, its type f32[2] needs 8",
       [](Graph& g) {
         auto& data = std::get<TensorData>(find(g.body(), "const")->attributes.at("value"));
         data.bytes = data.bytes.first(4);
       }},
      {"node const of \"w\" holds f32[2] but its output is f32[3]",
       [](Graph& g) { find(g.body(), "const")->output()->type.shape = {3}; }},
      {"node const of \"w\" holds f32[2] but its output is i32[2]",
       [](Graph& g) { find(g.body(), "const")->output()->type.type = DataType::i32; }},
      {"node const of \"w\" has 8 bytes, its type f32[2]:block(0:16) needs 64",
       [](Graph& g) {
         find(g.body(), "const")->output()->type.layout.blocks = {{0, 16}};
       }},
      {"needs no input, one output and a tensor",
       [](Graph& g) { find(g.body(), "const")->attributes.clear(); }},
      {"output 0 is f32[N,3,8,8], result 0 of its region is f32[N,3,8,8]:nhwc",
       [](Graph& g) { find(g.body(), "group")->output()->type.layout = {}; }},
      {"result 0 of its region is missing",
       [](Graph& g) { find(g.body(), "group")->regions()[0]->set_results({nullptr}); }},
      {"has 1 outputs and its region 0 results",
       [](Graph& g) { find(g.body(), "group")->regions()[0]->set_results({}); }},
      {"has 0 inputs and its region 1 parameters",
       [](Graph& g) { find(g.body(), "group")->set_inputs({}); }},
      {"from \"Relu_1\", \"Clip_2\": input 0 is left out",
       [](Graph& g) { find(g.body(), "group")->set_input(0, nullptr); }},
      {"input 0 is f32[N,3,8,8], parameter 0 of its region is f32[N,3,8,8]:nhwc",
       [](Graph& g) { find(g.body(), "group")->set_input(0, g.body().parameter(0)); }},
      {"has 2 regions; a group has one", [](Graph& g) { find(g.body(), "group")->add_region(); }},
      {"the graph has 1 results and 2 output names",
       [](Graph& g) { g.output_names.push_back("z"); }},
      {"two outputs of the graph have the name \"y\"",
       [](Graph& g) {
         g.output_names.push_back("y");
         g.body().set_results({g.body().results()[0], g.body().results()[0]});
       }},
      {"the output \"y\" has no value", [](Graph& g) { g.body().set_results({nullptr}); }},
      {"has the dim N, but the graph has no range for the symbol \"N\"",
       [](Graph& g) { g.symbols.clear(); }},
      {"the graph has no range for the symbol \"M\"",
       [](Graph& g) { find(g.body(), "conv")->output()->known_elements = {Dim::symbol("M")}; }},
      {"the symbol \"N\" has the minimum 65 above its maximum 64",
       [](Graph& g) { g.symbols["N"].minimum = 65; }},
      {"has 65 known elements",
       [](Graph& g) { find(g.body(), "conv")->output()->known_elements = std::vector<Dim>(65); }},
      {"output 0 \"w\" of node const of \"w\" of shape [2] has 1 known elements",
       [](Graph& g) { find(g.body(), "const")->output()->known_elements = {Dim(1)}; }},
      {"has a negative dim in [N,3,-1,8]",
       [](Graph& g) { g.body().parameter(0)->type.shape[2] = -1; }},
      {"region 0 of node group of \"y\" from \"Relu_1\", \"Clip_2\" has a return that is not",
       [](Graph& g) { find(g.body(), "group")->regions()[0]->insert("return", {}); }},
  };
  for (const Case& test : cases) {
    Graph graph = sound();
    test.damage(graph);
    const Status status = verify(graph);
    ASSERT_FALSE(status.ok()) << "accepted: " << test.message;
    EXPECT_EQ(status.code(), ErrorCode::internal);
    EXPECT_NE(status.message().find(test.message), std::string::npos)
        << "expected: " << test.message << "\nfound: " << status.message();
  }
}

TEST(Verify, ComparesUseListsWithInputs) {
  Graph graph = sound();
  auto& uses = const_cast<std::vector<Use>&>(graph.body().parameter(0)->uses());
  const std::vector<Use> right = uses;
  const std::pair<std::vector<Use>, std::string> cases[] = {
      {{{right[0].node, 1}}, "parameter 0 \"x\" lists a use that does not exist"},
      {{right[0], right[0]}, "parameter 0 \"x\" lists a use that does not exist"},
      {{}, "parameter 0 \"x\" is used 1 times and lists 0 uses"},
  };
  for (const auto& [wrong, message] : cases) {
    uses = wrong;
    EXPECT_EQ(verify(graph).message(), message);
  }
  uses = right;
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).message();
}

}  // namespace
}  // namespace tenon::ir
