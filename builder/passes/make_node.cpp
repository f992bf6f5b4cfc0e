// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/make_node.h"

#include "builder/ops/op.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tenon::passes {
namespace {

constexpr size_t kMostKnownElements = 64;

}  // namespace

Result<ir::Node*> make_node(const std::string& op, const std::vector<ir::Value*>& inputs,
                            Attributes attributes, ir::Node* before,
                            const std::vector<std::string>& origins) {
  const ops::OpDefinition* definition = ops::find(op);
  if (!definition) return Status(ErrorCode::internal, "a pass made the unknown operator " + op);
  ir::Node* node = before->parent()->insert(op, inputs, before);
  node->attributes = std::move(attributes);
  node->origins = origins;
  const ops::OpView view = ops::view(*node);
  Result<ops::Types> types = ops::infer_types(*definition, view);
  if (!types.ok()) {
    before->parent()->erase(node);
    return Status(ErrorCode::internal, "a pass made a wrong " + op + ": " + types.status().message());
  }
  std::optional<std::vector<ir::Dim>> known;
  if (definition->known_elements && !is_float(types->front().type)) {
    known = definition->known_elements(view);
  }
  for (ir::TensorType& type : *types) node->add_output(std::move(type));
  // Shape computations of a rewritten graph stay known to the operators behind them.
  if (known && known->size() <= kMostKnownElements) node->output()->known_elements = known;
  return node;
}

void add_origins(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& origin : from) {
    if (std::find(to.begin(), to.end(), origin) == to.end()) to.push_back(origin);
  }
}

}  // namespace tenon::passes
