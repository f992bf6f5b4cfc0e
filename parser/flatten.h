// SPDX-License-Identifier: Apache-2.0
// A model's nodes as one list, with its model-local functions put in place of their calls.
#pragma once

#include "parser/onnx.pb.h"
#include "parser/problems.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon::parser {

/// An attribute after references to a caller's attribute are resolved.
struct FlatAttribute {
  std::string name;
  const tenon_onnx::AttributeProto* value = nullptr;
};

/// A node whose values have the names they have in the whole model.
struct FlatNode {
  std::string op_type;
  std::string domain;  ///< "" is ai.onnx
  int64_t opset = 0;
  std::string name;    ///< inside a function: "/call/node"
  int64_t index = -1;  ///< of the node, or of the call it comes from, in the file
  std::vector<std::string> inputs, outputs;
  std::vector<FlatAttribute> attributes;

  std::string label() const { return operator_label(domain, op_type, opset); }
};

/// Values that cannot be computed, because of a problem that is already noted.
using FailedValues = std::set<std::string, std::less<>>;

/// Version of each operator set by domain ("" is ai.onnx).
using Opsets = std::map<std::string, int64_t, std::less<>>;
Opsets read_opsets(
    const google::protobuf::RepeatedPtrField<tenon_onnx::OperatorSetIdProto>& imports);

/// "" for "ai.onnx".
std::string normal_domain(const std::string& domain);

/// An error for opsets that are too old.
Status check_opset(const std::string& domain, int64_t version);

/// The nodes in the file's order. Names of values inside functions are made unique in the model. A
/// call that cannot be put in place becomes a problem, and its outputs failed values.
std::vector<FlatNode> flatten(const tenon_onnx::ModelProto& model, Problems& problems,
                              FailedValues& failed);

}  // namespace tenon::parser
