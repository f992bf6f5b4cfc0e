// SPDX-License-Identifier: Apache-2.0
#include "tests/parser/model_maker.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace tenon::parser {

using namespace tenon_onnx;

namespace {

void set_import(google::protobuf::RepeatedPtrField<OperatorSetIdProto>* imports,
                const std::string& domain, int64_t version) {
  OperatorSetIdProto* import = imports->Add();
  import->set_domain(domain);
  import->set_version(version);
}

void fill(NodeProto& node, const std::string& op, const ModelMaker::Names& inputs,
          const ModelMaker::Names& outputs) {
  node.set_op_type(op);
  for (const std::string& name : inputs) node.add_input(name);
  for (const std::string& name : outputs) node.add_output(name);
}

}  // namespace

ModelMaker::ModelMaker(int64_t opset, int64_t ir_version) {
  proto.set_ir_version(ir_version);
  set_import(proto.mutable_opset_import(), "", opset);
  proto.mutable_graph()->set_name("test");
}

ValueInfoProto* ModelMaker::input(const std::string& name, const Dims& dims, int32_t type) {
  ValueInfoProto* value = proto.mutable_graph()->add_input();
  value->set_name(name);
  auto* tensor = value->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  tensor->mutable_shape();
  for (const auto& dim : dims) {
    auto* added = tensor->mutable_shape()->add_dim();
    if (const auto* size = std::get_if<int64_t>(&dim)) {
      added->set_dim_value(*size);
    } else if (!std::get<std::string>(dim).empty()) {
      added->set_dim_param(std::get<std::string>(dim));
    }
  }
  return value;
}

void ModelMaker::output(const std::string& name) {
  proto.mutable_graph()->add_output()->set_name(name);
}

TensorProto* ModelMaker::initializer(const std::string& name, const std::vector<int64_t>& dims,
                                     const std::vector<float>& values) {
  TensorProto* tensor = proto.mutable_graph()->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(TensorProto::FLOAT);
  for (const int64_t dim : dims) tensor->add_dims(dim);
  tensor->set_raw_data(values.data(), values.size() * sizeof(float));
  return tensor;
}

NodeProto* ModelMaker::node(const std::string& op, const Names& inputs, const Names& outputs,
                            const std::string& name) {
  NodeProto* node = proto.mutable_graph()->add_node();
  fill(*node, op, inputs, outputs);
  if (!name.empty()) node->set_name(name);
  return node;
}

FunctionProto* ModelMaker::function(const std::string& name, const Names& inputs,
                                    const Names& outputs) {
  if (proto.functions_size() == 0) set_import(proto.mutable_opset_import(), "local", 1);
  FunctionProto* function = proto.add_functions();
  function->set_domain("local");
  function->set_name(name);
  for (const std::string& input : inputs) function->add_input(input);
  for (const std::string& output : outputs) function->add_output(output);
  set_import(function->mutable_opset_import(), "", proto.opset_import(0).version());
  return function;
}

NodeProto* ModelMaker::call(const std::string& name, const Names& inputs, const Names& outputs,
                            const std::string& node_name) {
  NodeProto* call = node(name, inputs, outputs, node_name);
  call->set_domain("local");
  return call;
}

std::vector<std::byte> ModelMaker::bytes() const {
  std::vector<std::byte> out(proto.ByteSizeLong());
  EXPECT_TRUE(proto.SerializeToArray(out.data(), static_cast<int>(out.size())));
  return out;
}

NodeProto* add_node(FunctionProto& function, const std::string& op, const ModelMaker::Names& inputs,
                    const ModelMaker::Names& outputs) {
  NodeProto* node = function.add_node();
  fill(*node, op, inputs, outputs);
  node->set_name(op + "_" + std::to_string(function.node_size() - 1));
  return node;
}

void add_integer(NodeProto& node, const std::string& name, int64_t value) {
  AttributeProto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(AttributeProto::INT);
  attribute->set_i(value);
}

void add_reference(NodeProto& node, const std::string& name, const std::string& to) {
  AttributeProto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(AttributeProto::INT);
  attribute->set_ref_attr_name(to);
}

ModelMaker typical_model() {
  ModelMaker model;
  model.input("x", {"N", 4});
  model.initializer("w", {4, 4}, std::vector<float>(16, 0.5f));
  model.node("Gemm", {"x", "w"}, {"m"}, "/head/Gemm");
  model.node("Relu", {"m"}, {"r"}, "/head/Relu");
  FunctionProto* soften = model.function("Soften", {"a"}, {"b"});
  soften->add_attribute("axis");
  add_node(*soften, "Relu", {"a"}, {"inner"});
  add_reference(*add_node(*soften, "Softmax", {"inner"}, {"b"}), "axis", "axis");
  add_integer(*model.call("Soften", {"r"}, {"s"}, "soften"), "axis", 1);
  AttributeProto* value = model.node("Constant", {}, {"c"}, "bias")->add_attribute();
  value->set_name("value");
  value->set_type(AttributeProto::TENSOR);
  value->mutable_t()->set_data_type(TensorProto::FLOAT);
  value->mutable_t()->add_dims(4);
  for (const float element : {1.0f, 2.0f, 3.0f, 4.0f}) value->mutable_t()->add_float_data(element);
  model.node("Add", {"s", "c"}, {"y"}, "/head/Add");
  model.output("y");
  return model;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "tenon_parser_XXXXXX").string();
  EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
  path = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

std::string TemporaryFolder::write(const std::string& name,
                                   const std::vector<std::byte>& bytes) const {
  const std::string file = (path / name).string();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(out.good()) << file;
  return file;
}

}  // namespace tenon::parser
