// SPDX-License-Identifier: Apache-2.0
#include "parser/wire.h"

#include "tests/parser/model_maker.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tenon::parser {
namespace {

using namespace tenon_onnx;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(Wire, TakesElementsOutOfTheMessage) {
  ModelMaker model;
  model.initializer("w", {64, 64}, std::vector<float>(4096, 0.25f));
  TensorProto* typed = model.proto.mutable_graph()->add_initializer();
  typed->set_name("t");
  for (int i = 0; i < 1000; ++i) typed->add_int64_data(i);
  const std::vector<std::byte> bytes = model.bytes();
  const Result<Skeleton> skeleton = make_skeleton(bytes);
  ASSERT_TRUE(skeleton.ok()) << skeleton.status().to_string();
  EXPECT_LT(skeleton->message.size(), 200u);
  ASSERT_EQ(skeleton->payloads.size(), 2u);
  EXPECT_EQ(skeleton->payloads[0].field, 9);
  EXPECT_EQ(skeleton->payloads[0].length, 4096 * sizeof(float));
  EXPECT_EQ(skeleton->payloads[1].field, 7);
  float first = 0;
  std::memcpy(&first, bytes.data() + skeleton->payloads[0].offset, sizeof(first));
  EXPECT_EQ(first, 0.25f);

  ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(skeleton->message));
  EXPECT_EQ(parsed.graph().initializer(0).name(), "w");
  EXPECT_FALSE(parsed.graph().initializer(0).has_raw_data());
  EXPECT_EQ(parsed.graph().initializer(1).int64_data_size(), 0);
  EXPECT_EQ(parsed.graph().initializer(1).GetExtension(payload, 0), 1u);
}

TEST(Wire, KeepsEverythingElse) {
  const ModelMaker model = typical_model();
  const Result<Skeleton> skeleton = make_skeleton(model.bytes());
  ASSERT_TRUE(skeleton.ok()) << skeleton.status().to_string();
  ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(skeleton->message));
  // A graph's nodes come before its initialisers.
  ASSERT_EQ(skeleton->payloads.size(), 2u);
  ModelProto expected = model.proto;
  for (NodeProto& node : *expected.mutable_graph()->mutable_node()) {
    if (node.op_type() != "Constant") continue;
    node.mutable_attribute(0)->mutable_t()->clear_float_data();
    node.mutable_attribute(0)->mutable_t()->AddExtension(payload, 0);
  }
  expected.mutable_graph()->mutable_initializer(0)->clear_raw_data();
  expected.mutable_graph()->mutable_initializer(0)->AddExtension(payload, 1);
  EXPECT_EQ(parsed.SerializeAsString(), expected.SerializeAsString());
}

TEST(Wire, FindsTensorsInSubgraphsAndFunctions) {
  ModelMaker model;
  AttributeProto* branch = model.node("If", {"c"}, {"y"})->add_attribute();
  branch->mutable_g()->add_initializer()->set_raw_data("1234");
  branch->add_tensors()->set_raw_data("56");
  branch->mutable_sparse_tensor()->mutable_indices()->add_int64_data(3);
  model.function("F", {}, {})->add_node()->add_attribute()->mutable_t()->set_raw_data("7");
  model.proto.mutable_functions(0)->add_attribute_proto()->mutable_t()->set_raw_data("8");
  const Result<Skeleton> skeleton = make_skeleton(model.bytes());
  ASSERT_TRUE(skeleton.ok()) << skeleton.status().to_string();
  EXPECT_EQ(skeleton->payloads.size(), 5u);
}

TEST(Wire, DropsMarksThatTheFileHolds) {
  ModelMaker model;
  TensorProto* tensor = model.proto.mutable_graph()->add_initializer();
  tensor->set_name("w");
  tensor->AddExtension(payload, 12345);
  const Result<Skeleton> skeleton = make_skeleton(model.bytes());
  ASSERT_TRUE(skeleton.ok()) << skeleton.status().to_string();
  ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(skeleton->message));
  EXPECT_EQ(parsed.graph().initializer(0).ExtensionSize(payload), 0);
}

TEST(Wire, LeavesTrainingOut) {
  ModelMaker model;
  model.proto.add_training_info()->mutable_algorithm()->set_name("sgd");
  const Result<Skeleton> skeleton = make_skeleton(model.bytes());
  ASSERT_TRUE(skeleton.ok()) << skeleton.status().to_string();
  EXPECT_TRUE(skeleton->has_training_info);
  EXPECT_EQ(skeleton->message.find("sgd"), std::string::npos);
}

TEST(Wire, RefusesWhatIsNoMessage) {
  EXPECT_FALSE(make_skeleton(as_bytes("\x7a\xff\xff\xff\xff\x0f")).ok()) << "longer than the file";
  EXPECT_FALSE(make_skeleton(as_bytes("\x0b\x0c")).ok()) << "a group";
  EXPECT_FALSE(make_skeleton(as_bytes(std::string("\0\0", 2))).ok()) << "field number 0";
  EXPECT_FALSE(make_skeleton(as_bytes("\x08")).ok()) << "a number cut off";
  EXPECT_FALSE(make_skeleton(as_bytes(std::string(20, '\xff'))).ok()) << "a tag without end";
  const Result<Skeleton> text = make_skeleton(as_bytes("#!/bin/sh\necho hello\n"));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), ErrorCode::invalid_model);
  EXPECT_NE(text.status().message().find("not an ONNX model"), std::string::npos);
}

TEST(Wire, RefusesEndlessNesting) {
  GraphProto graph;
  for (int i = 0; i < 200; ++i) {
    GraphProto outer;
    outer.add_node()->add_attribute()->mutable_g()->Swap(&graph);
    graph.Swap(&outer);
  }
  ModelMaker model;
  model.proto.mutable_graph()->Swap(&graph);
  const Result<Skeleton> skeleton = make_skeleton(model.bytes());
  ASSERT_FALSE(skeleton.ok());
  EXPECT_NE(skeleton.status().message().find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace tenon::parser
