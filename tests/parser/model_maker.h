// SPDX-License-Identifier: Apache-2.0
// Small ONNX models for the tests of the parser.
#pragma once

#include "parser/model_file.h"
#include "parser/onnx.pb.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tenon::parser {

class ModelMaker {
 public:
  using Names = std::vector<std::string>;
  using Dims = std::vector<std::variant<int64_t, std::string>>;

  explicit ModelMaker(int64_t opset = 17, int64_t ir_version = 8);

  tenon_onnx::ValueInfoProto* input(const std::string& name, const Dims& dims,
                                    int32_t type = tenon_onnx::TensorProto::FLOAT);
  void output(const std::string& name);
  tenon_onnx::TensorProto* initializer(const std::string& name, const std::vector<int64_t>& dims,
                                       const std::vector<float>& values);
  tenon_onnx::NodeProto* node(const std::string& op, const Names& inputs, const Names& outputs,
                              const std::string& name = "");
  /// A function of domain "local", which the model imports.
  tenon_onnx::FunctionProto* function(const std::string& name, const Names& inputs,
                                      const Names& outputs);
  /// A call of a function of domain "local".
  tenon_onnx::NodeProto* call(const std::string& name, const Names& inputs, const Names& outputs,
                              const std::string& node_name);

  std::vector<std::byte> bytes() const;

  tenon_onnx::ModelProto proto;
};

tenon_onnx::NodeProto* add_node(tenon_onnx::FunctionProto& function, const std::string& op,
                                const ModelMaker::Names& inputs, const ModelMaker::Names& outputs);
void add_integer(tenon_onnx::NodeProto& node, const std::string& name, int64_t value);
void add_reference(tenon_onnx::NodeProto& node, const std::string& name, const std::string& to);

/// One of each kind of thing: a relu, a product with a constant, a function with a reference, a
/// constant.
ModelMaker typical_model();

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::filesystem::path path;
  /// Writes a file and gives its path.
  std::string write(const std::string& name, const std::vector<std::byte>& bytes) const;
};

}  // namespace tenon::parser
