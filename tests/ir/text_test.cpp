// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/text.h"

#include "builder/ir/constant.h"
#include "builder/ir/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tenon::ir {
namespace {

/// Texts in exactly the printed form.
const std::string kTexts[] = {
    "graph @empty {\n}\n",
    R"(graph @digits {
  %0 "image" = input : f32[N,1,8,8] where 1<=N<=64 opt 8
  %1 "w" = const : f32[1,1,1,3] [1,2.5,-0.125]
  %2 "c" = conv(%0, %1, _) {group=1, pads=[1,1,1,1]} : f32[N,1,8,8]:nhwc from("Conv_0")
  %3 = relu(%2) : f32[N,1,8,8]:nhwc from("Relu_1", "Clip_2")
  output "logits" = %3
}
)",
    R"(graph @groups {
  symbols 2<=U
  %0 "x" = input : f32[N,H] where 0<=H opt 224, 1<=N<=4
  %1 "y" = input : f32[N,K] where 0<=K<=9 opt 3
  %2, %3 "sum" = group(%0, %1) (%4 : f32[N,H], %5 "inner" : f32[N,K]) {
    %6 = relu(%4) : f32[N,H] from("Relu")
    %7 = group(%5) {nested=1} (%8 : f32[N,K]) {
      return %8
    } : f32[N,K]
    return %6, %7
  } : f32[N,H], f32[N,K] from("A", "B")
  %9 = if(%2) () {
    %10 = const : i64[] [1]
    return %10
  } () {
    return _
  } : i64[]
  effect(%9)
  "return"(%9)
  output "a" = %2
  output "b" = %3
  output "a again" = _
}
)",
    R"(graph @"odd name\x0a" {
  %0 "a\"b\\c\x01é" = input : f32["past+1",2*N+1] where 0<=N<=5, 0<="past+1"<=3 opt 1
  %1 = shape(%0) : i64[2] known ["past+1",2*N+1]
  %2 = "odd op"(%1) {empty="", "odd key"="line\x0d", s="x"} : i64[2]
  output "" = %2
}
)",
    R"(graph @attributes {
  %0 = make() {a=1, b=1.0, c=1e+300, d=[], e=doubles[], f=strings[], g=[1,-2], h=[1.0,2.5], i=["p","q\""], j=-9223372036854775808, k=nan, l=[inf,-inf], m=f32[2] [1,nan], n=i4[3] [-8,0,7], o=bool[] [1], p=f32[0,3] [], q=-0.0} : f32[]
  output "o" = %0
}
)",
    R"(graph @constants {
  %0 = const : f64[3] [0.1,-inf,5e-324]
  %1 = const : f32[4] [1e-45,3.4028235e+38,-0,0x7fc00001]
  %2 = const : f16[3] [0.5,65504,nan]
  %3 = const : bf16[2] [1.5,0x7fff]
  %4 = const : f8e4m3[3] [448,-0.001953125,nan]
  %5 = const : f8e5m2[3] [57344,inf,0x7e]
  %6 = const : f8e4m3fnuz[2] [240,nan]
  %7 = const : f8e5m2fnuz[2] [57344,nan]
  %8 = const : f8e8m0[3] [1,5.877472e-39,nan]
  %9 = const : f4e2m1[3] [6,-0.5,-0]
  %10 = const : i64[2] [-9223372036854775808,9223372036854775807]
  %11 = const : i32[1] [-2147483648]
  %12 = const : i16[1] [-32768]
  %13 = const : i8[2] [-128,127]
  %14 = const : i4[5] [-8,7,0,1,-1]
  %15 = const : i2[5] [-2,-1,0,1,1]
  %16 = const : u64[1] [18446744073709551615]
  %17 = const : u32[1] [4294967295]
  %18 = const : u16[1] [65535]
  %19 = const : u8[1] [255]
  %20 = const : u4[3] [15,0,8]
  %21 = const : u2[5] [3,2,1,0,3]
  %22 = const : bool[2] [1,0]
  %23 = const : f32[0] []
  %24 = const : f32[] [-1]
  %25 = const : f32[3]:block(0:2) [1,2,3,0]
  %26 = const(%25) : f32[1]
  %27 = const() {value=f32[1] [2]} : f32[2] from("mismatch")
}
)",
};

TEST(Text, PrintsWhatItParses) {
  for (const std::string& text : kTexts) {
    const Result<Graph> graph = parse(text);
    ASSERT_TRUE(graph.ok()) << graph.status().message() << "\n" << text;
    EXPECT_EQ(print(*graph), text);
    EXPECT_EQ(print(graph->clone()), text) << "a clone prints differently";
  }
}

TEST(Text, ReadsFreeForms) {
  const Result<Graph> graph = parse(R"(
    graph @g { // a comment
      %7 "x" = input:f32[ N , 2 ]   where 1<=N<=64
      %3=relu( %7 ):f32[N,2]
      output "y"=%3 %9 = input : i64[] })");
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  EXPECT_EQ(graph->symbols.at("N").optimum, 64);
  EXPECT_EQ(print(*graph),
            "graph @g {\n  %0 \"x\" = input : f32[N,2] where 1<=N<=64\n  %1 = input : i64[]\n"
            "  %2 = relu(%0) : f32[N,2]\n  output \"y\" = %2\n}\n");
}

TEST(Text, PutsLargeConstantsIntoTheFile) {
  Graph graph("g");
  std::vector<std::byte> bytes(68);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  Value* value =
      Graph::add_constant(graph.body(), make_tensor(DataType::f32, {17}, bytes), "weights");
  graph.body().set_results({value});
  graph.output_names = {"out"};
  ConstantFile constants;
  const std::string text = print(graph, &constants);
  ASSERT_EQ(constants.size(), 1u);
  EXPECT_NE(text.find("f32[17] #" + constants.begin()->first), std::string::npos) << text;
  EXPECT_EQ(constants.begin()->first.size(), 32u);

  const Result<Graph> back = parse(text, &constants);
  ASSERT_TRUE(back.ok()) << back.status().message();
  EXPECT_EQ(print(*back), text);
  const TensorData* data = Graph::constant_of(back->body().results()[0]);
  ASSERT_TRUE(data);
  EXPECT_TRUE(std::equal(data->bytes.begin(), data->bytes.end(), bytes.begin(), bytes.end()));

  const Result<Graph> zeros = parse(text);
  ASSERT_TRUE(zeros.ok()) << zeros.status().message();
  EXPECT_EQ(element_as_double(*Graph::constant_of(zeros->body().results()[0]), 16), 0);
  EXPECT_TRUE(verify(*zeros).ok());

  const ConstantFile none;
  const Result<Graph> missing = parse(text, &none);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find("line 2, column 34: the file of constants has no #"),
            std::string::npos)
      << missing.status().message();
  constants.begin()->second.bytes = constants.begin()->second.bytes.first(64);
  const Result<Graph> shorter = parse(text, &constants);
  ASSERT_FALSE(shorter.ok());
  EXPECT_NE(shorter.status().message().find("has 64 bytes, its type needs 68"), std::string::npos);
}

TEST(Text, PrintsBrokenGraphs) {
  Graph graph("g"), other("other");
  Value* foreign = other.body().add_parameter({DataType::f32, {}, {}});
  Node* node = graph.body().insert("relu", {foreign, nullptr});
  node->add_output({DataType::f32, {Dim::symbol("N")}, {{7}, {}}});
  Node* constant = graph.body().insert("const", {});
  constant->add_output({DataType::f32, {-5}, {}});
  constant->attributes["value"] = TensorData{DataType::f32, {-5}, {}, nullptr};
  graph.body().set_results({foreign});
  const std::string text = print(graph);
  EXPECT_NE(text.find("relu(%?, _) : f32[N]:perm(7)"), std::string::npos) << text;
  EXPECT_NE(text.find("output \"\" = %?"), std::string::npos) << text;
  graph.body().set_results({});
  node->set_inputs({});
}

TEST(Text, SaysWhatIsWrongAndWhere) {
  const std::string input = "graph @g {\n  %0 = input : f32[2]\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1, column 1: expected 'graph', found the end of the text"},
      {"graph g {}", "line 1, column 7: expected '@', found \"g\""},
      {"graph @g {", "line 1, column 11: expected an operator, found the end of the text"},
      {"graph @g {} x", "line 1, column 13: expected the end of the text"},
      {input + "  %1 = relu(%7) : f32[2]\n}",
       "line 3, column 13: %7 is not defined before its use"},
      {input + "  %0 = relu(%0) : f32[2]\n}", "line 3, column 3: %0 is defined twice"},
      {input + "  %1 = relu(%0)\n}", "line 4, column 1: expected ':'"},
      {input + "  %1 = relu(%0) : f32[2], f32[2]\n}", "1 outputs and 2 types"},
      {input + "  %1 = relu(%0) : f99[2]\n}", "line 3, column 19: expected an element type"},
      {input + "  %1 = relu(%0) {a=} : f32[2]\n}", "column 20: expected the value of an attribute"},
      {input + "  %1 = relu(%0) {a=1,a=2} : f32[2]\n}", "the attribute \"a\" comes twice"},
      {input + "  %1 = relu(%0) {a=[1,\"s\"]} : f32[2]\n}", "expected the value of an attribute"},
      {input + "  %1 = group(%0) (%2 : f32[2]) { %3 = relu(%0) : f32[2] return %3 } : f32[2]\n}",
       "%0 belongs to another region; pass it as a parameter"},
      {input + "  %1 = const : f32[2] [1]\n}", "the type has 2 elements, here are 1"},
      {input + "  %1 = const : f32[2] [1,2,3]\n}", "the type has only 2 elements"},
      {input + "  %1 = const : i4[1] [8]\n}", "column 23: expected a number of type i4"},
      {input + "  %1 = const : f8e4m3[1] [0.3]\n}", "expected a number of type f8e4m3"},
      {input + "  %1 = const : f32[N] [1]\n}", "numbers, not symbols"},
      {input + "  %1 = const : f32[-1] []\n}", "not negative"},
      {input + "  %1 = const : f32[999999999,999999999,99999999] []\n}", "below 2^48"},
      {input + "  %1 = const : f32[9] #12\n}", "32 hexadecimal digits"},
      {input + "  %1 = const : f32[99999999999] #00000000000000000000000000000000\n}", "no memory"},
      {input + "  %1, %2 = const : f32[1] [1]\n}", "defines one value"},
      {input + "  output x = %0\n}", "line 3, column 10: expected a quoted string, found \"x\""},
      {"graph @g {\n  symbols 0<=N, 1<=N\n}", "the symbol \"N\" has two ranges"},
      {"graph @g {\n  symbols 0<=N<=-4\n}", "not negative"},
      {"graph @g {\n  %0 \"bad\\q\" = input : f32[]\n}", "line 2, column 10: unknown escape"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Graph> result = parse(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().code(), ErrorCode::invalid_model);
    EXPECT_NE(result.status().message().find(message), std::string::npos)
        << text << "\n"
        << result.status().message();
  }
  std::string deep = input + "  ";
  for (int i = 0; i < 5000; ++i) deep += "f() () { ";
  const Result<Graph> result = parse(deep);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("regions nest over 100 deep"), std::string::npos);
}

/// Whatever the text: an error, or a graph that prints, verifies or not, and reads back.
TEST(Text, SurvivesMutatedTexts) {
  std::mt19937 generator(1);
  const std::string alphabet = "%{}()[]:,=\"\\_#@<>-+*0129 \nNfax.";
  int accepted = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = kTexts[generator() % std::size(kTexts)];
    const int edits = 1 + static_cast<int>(generator() % 3);
    for (int edit = 0; edit < edits; ++edit) {
      const size_t at = generator() % text.size();
      const size_t length = std::min<size_t>(1 + generator() % 8, text.size() - at);
      switch (generator() % 4) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, 1, alphabet[generator() % alphabet.size()]);
          break;
        case 2:
          text[at] = static_cast<char>(generator());
          break;
        default:
          text.insert(generator() % text.size(), text.substr(at, length));
          break;
      }
      if (text.empty()) text = " ";
    }
    const Result<Graph> graph = parse(text);
    if (!graph.ok()) {
      ASSERT_EQ(graph.status().message().find("line "), 0u) << graph.status().message();
      continue;
    }
    ++accepted;
    (void)verify(*graph);
    ConstantFile constants;
    const std::string printed = print(*graph, &constants);
    const Result<Graph> again = parse(printed, &constants);
    ASSERT_TRUE(again.ok()) << "round " << round << ": " << again.status().message() << "\n"
                            << text << "\n"
                            << printed;
    ASSERT_EQ(print(*again), printed) << "round " << round << "\n" << text;
  }
  EXPECT_GT(accepted, 50);
  EXPECT_LT(accepted, 1950);
}

TEST(Text, KeepsIntegralDoublesDoubles) {
  Graph graph("g");
  Node* node = graph.body().insert("f", {});
  node->attributes["one"] = 1.0;
  node->attributes["big"] = 1e22;
  node->attributes["list"] = std::vector<double>{1, 2};
  const Result<Graph> back = parse(print(graph));
  ASSERT_TRUE(back.ok()) << back.status().message();
  const Attributes& attributes = back->body().nodes().front()->attributes;
  EXPECT_EQ(std::get<double>(attributes.at("one")), 1.0);
  EXPECT_EQ(std::get<double>(attributes.at("big")), 1e22);
  EXPECT_EQ(std::get<std::vector<double>>(attributes.at("list")), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace tenon::ir
