// SPDX-License-Identifier: Apache-2.0
// The registry of operators as the public header shows it.
#include "builder/ops/op.h"

#include <tenon/builder.h>

namespace tenon {
namespace {

std::string kind_of(const ops::OpDefinition& op) {
  switch (op.kind) {
    case ops::Kind::elementwise: return "elementwise";
    case ops::Kind::movement: return "movement";
    case ops::Kind::reduction: return "reduction";
    case ops::Kind::contraction: return "contraction";
    case ops::Kind::folded: return "folded";
    case ops::Kind::import_only: return "decomposed";
  }
  return "unknown";
}

}  // namespace

std::vector<OperatorInfo> operators() {
  std::vector<OperatorInfo> list;
  for (const ops::OpDefinition* op : ops::all()) {
    OperatorInfo info;
    info.name = op->name;
    for (const ops::OpDefinition::OnnxName& name : op->onnx_names) {
      info.onnx += (info.onnx.empty() ? "" : ", ") + name.name + " " + std::to_string(name.since) + "+";
    }
    info.kind = kind_of(*op);
    if (!op->inputs.empty()) {
      for (const DataType type : op->inputs[0].types) info.types.emplace_back(to_string(type));
    }
    info.summary = op->summary;
    list.push_back(std::move(info));
  }
  return list;
}

}  // namespace tenon
