// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/graph.h"

#include "builder/ir/constant.h"
#include "builder/ir/text.h"
#include "builder/ir/verify.h"

#include <gtest/gtest.h>

#include <random>

namespace tenon::ir {
namespace {

const TensorType kVector = {DataType::f32, {2}, {}};

Value* apply(Region& region, const std::string& op, const std::vector<Value*>& inputs,
             Node* before = nullptr) {
  return region.insert(op, inputs, before)->add_output(kVector);
}

std::vector<std::string> ops(const Region& region) {
  std::vector<std::string> names;
  for (const Node* node : region.node_list()) names.push_back(node->op());
  return names;
}

TEST(Graph, KeepsUsesAndInputsInStep) {
  Graph graph("g");
  Value* x = graph.body().add_parameter(kVector, "x");
  Value* y = graph.body().add_parameter(kVector, "y");
  Node* node = graph.body().insert("add", {x, x, nullptr});
  Value* sum = node->add_output(kVector);
  EXPECT_EQ(x->uses().size(), 2u);
  EXPECT_EQ(node->input_count(), 3);
  EXPECT_EQ(node->input(2), nullptr);
  EXPECT_EQ(node->input(9), nullptr);
  node->set_input(0, y);
  EXPECT_TRUE(x->has_one_use());
  EXPECT_EQ(x->uses()[0], (Use{node, 1}));
  EXPECT_EQ(y->uses()[0], (Use{node, 0}));
  node->set_inputs(node->inputs());
  EXPECT_TRUE(x->has_one_use());
  Graph::replace_all_uses(x, y);
  EXPECT_TRUE(x->uses().empty());
  EXPECT_EQ(y->uses().size(), 2u);
  graph.body().set_results({sum});
  graph.output_names = {"sum"};
  EXPECT_TRUE(verify(graph).ok()) << verify(graph).message();
}

TEST(Graph, ReplacementTakesTheNameWhenItHasNone) {
  Graph graph("g");
  Value* x = graph.body().add_parameter(kVector, "x");
  Value* a = apply(graph.body(), "relu", {x});
  a->name = "a";
  Value* b = apply(graph.body(), "clip", {x});
  Graph::replace_all_uses(a, b);
  EXPECT_EQ(b->name, "a");
  Graph::replace_all_uses(b, x);
  EXPECT_EQ(x->name, "x");
}

TEST(Graph, OrdersNodes) {
  Graph graph("g");
  Region& body = graph.body();
  Value* x = body.add_parameter(kVector);
  Value* a = apply(body, "a", {x});
  Value* c = apply(body, "c", {a});
  apply(body, "b", {a}, c->producer());
  EXPECT_EQ(ops(body), (std::vector<std::string>{"a", "b", "c", "return"}));
  Graph::add_constant(body, scalar_f32(1));
  Graph::add_constant(body, scalar_f32(1), "late", c->producer());
  EXPECT_EQ(ops(body), (std::vector<std::string>{"const", "a", "b", "const", "c", "return"}));
  body.move_before(body.node_list()[0], nullptr);
  EXPECT_EQ(ops(body), (std::vector<std::string>{"a", "b", "const", "c", "const", "return"}));
  body.erase(c->producer());
  EXPECT_EQ(ops(body), (std::vector<std::string>{"a", "b", "const", "const", "return"}));
  EXPECT_EQ(a->uses().size(), 1u);
}

TEST(Graph, ReadsAttributesByType) {
  Graph graph("g");
  Node* node = graph.body().insert("f", {});
  node->attributes = {{"i", int64_t{3}},
                      {"d", 2.5},
                      {"s", std::string("t")},
                      {"l", std::vector<int64_t>{1, 2}},
                      {"t", scalar_f32(1)}};
  EXPECT_EQ(node->integer("i"), 3);
  EXPECT_EQ(node->integer("d", 7), 7);
  EXPECT_EQ(node->real("d"), 2.5);
  EXPECT_EQ(node->real("i", -1), -1);
  EXPECT_EQ(node->text("s"), "t");
  EXPECT_EQ(node->text("none", "other"), "other");
  EXPECT_EQ(node->integers("l"), (std::vector<int64_t>{1, 2}));
  EXPECT_NE(node->tensor("t"), nullptr);
  EXPECT_EQ(node->tensor("i"), nullptr);
}

TEST(Graph, ErasesDeadNodesInEveryRegion) {
  Result<Graph> graph = parse(R"(graph @g {
    %0 "x" = input : f32[2]
    %1 = a(%0) : f32[2]
    %2 = b(%1) : f32[2]
    %3 = group(%0) (%4 : f32[2]) {
      %5 = dead(%4) : f32[2]
      %6 = relu(%4) : f32[2]
      return %6
    } : f32[2]
    %7 = group(%3) (%8 : f32[2]) { return %8 } : f32[2]
    output "y" = %3
  })");
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(graph->erase_dead_nodes(), 4);
  EXPECT_EQ(ops(graph->body()), (std::vector<std::string>{"group", "return"}));
  EXPECT_EQ(graph->erase_dead_nodes(), 0);
  EXPECT_TRUE(verify(*graph).ok()) << verify(*graph).message();
}

TEST(Graph, MovesAndClones) {
  Graph graph("g");
  Value* x = graph.body().add_parameter({DataType::f32, {Dim::symbol("N")}, {}}, "x");
  graph.symbols["N"] = {1, 2, 3};
  Node* group = graph.body().insert("group", {x});
  group->origins = {"Conv_0"};
  Region* inner = group->add_region();
  inner->set_results({inner->add_parameter(x->type)});
  graph.body().set_results({group->add_output(x->type, "y")});
  graph.output_names = {"y"};
  EXPECT_EQ(inner->graph(), &graph);
  const std::string text = print(graph);

  Graph moved(std::move(graph));
  EXPECT_EQ(inner->graph(), &moved);
  Graph copy = moved.clone();
  EXPECT_EQ(print(copy), text);
  EXPECT_TRUE(verify(copy).ok()) << verify(copy).message();
  moved = Graph("other");
  EXPECT_EQ(print(copy), text) << "the copy is independent";
  EXPECT_EQ(copy.body().nodes().front()->regions()[0]->graph(), &copy);
}

TEST(Graph, RemovesParameters) {
  Graph graph("g");
  for (const char* name : {"a", "b", "c"}) graph.body().add_parameter(kVector, name);
  graph.body().remove_parameter(1);
  ASSERT_EQ(graph.body().parameters().size(), 2u);
  EXPECT_EQ(graph.body().parameter(1)->name, "c");
  EXPECT_EQ(graph.body().parameter(1)->index(), 1);
}

TEST(Graph, GivesFreshSymbols) {
  Graph graph("g");
  graph.symbols["n1"] = {};
  EXPECT_EQ(graph.fresh_symbol("n"), "n");
  EXPECT_EQ(graph.fresh_symbol("n"), "n2");
  EXPECT_EQ(graph.fresh_symbol("n"), "n3");
  EXPECT_EQ(graph.fresh_symbol("n1"), "n11");
  EXPECT_TRUE(graph.symbols.contains("n3"));
  EXPECT_LT(graph.symbols.at("n3").maximum, 0);
}

TEST(Graph, HandlesLargeGraphs) {
  constexpr int kCount = 100000;
  Graph graph("g");
  Value* shared = graph.body().add_parameter(kVector);
  Value* last = shared;
  for (int i = 0; i < kCount; ++i) last = apply(graph.body(), "add", {last, shared});
  EXPECT_EQ(shared->uses().size(), kCount + 1u);
  EXPECT_TRUE(verify(graph).ok());
  const Graph copy = graph.clone();
  Value* other = graph.body().add_parameter(kVector);
  for (Node* node : graph.body().node_list()) {
    if (node->input_count() == 2) node->set_input(1, other);
  }
  EXPECT_EQ(shared->uses().size(), 1u);
  EXPECT_EQ(graph.erase_dead_nodes(), kCount);
  EXPECT_EQ(copy.body().nodes().size(), kCount + 1u);
}

TEST(Graph, RandomEditsKeepUseListsExact) {
  std::mt19937 generator(1);
  Graph graph("g");
  std::vector<Value*> values;
  for (int i = 0; i < 5; ++i) values.push_back(graph.body().add_parameter(kVector));
  for (int step = 0; step < 3000; ++step) {
    const auto pick = [&] { return values[generator() % values.size()]; };
    switch (generator() % 4) {
      case 0:
        values.push_back(apply(graph.body(), "f", {pick(), nullptr, pick()}));
        break;
      case 1: {
        Value* value = pick();
        if (value->uses().empty()) break;
        const Use use = value->uses()[generator() % value->uses().size()];
        use.node->set_input(use.index, values[generator() % 5]);
        break;
      }
      case 2:
        Graph::replace_all_uses(pick(), values[generator() % 5]);
        break;
      default: {
        Value* value = values.back();
        if (value->producer() && value->uses().empty()) {
          graph.body().erase(value->producer());
          values.pop_back();
        }
      }
    }
    if (step % 50 == 0) {
      ASSERT_TRUE(verify(graph).ok()) << "step " << step << ": " << verify(graph).message();
    }
  }
}

}  // namespace
}  // namespace tenon::ir
