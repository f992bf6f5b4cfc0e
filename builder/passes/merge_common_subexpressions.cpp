// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/merge_common_subexpressions.h"

#include "builder/ir/constant.h"
#include "builder/passes/make_node.h"

#include <map>
#include <set>

namespace tenon::passes {
namespace {

/// Equal for nodes that compute the same: operator, inputs by identity, attributes, output types.
std::string key_of(const ir::Node& node) {
  std::string key = node.op();
  for (const ir::Value* input : node.inputs()) {
    key += ' ';
    key += std::to_string(reinterpret_cast<uintptr_t>(input));
  }
  for (const auto& [name, value] : node.attributes) {
    key += ' ' + name + '=' + std::to_string(value.index()) + ':';
    if (const auto* i = std::get_if<int64_t>(&value)) key += std::to_string(*i);
    if (const auto* d = std::get_if<double>(&value)) {
      key.append(reinterpret_cast<const char*>(d), sizeof *d);
    }
    if (const auto* s = std::get_if<std::string>(&value)) key += *s;
    if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) {
      for (int64_t i : *v) key += std::to_string(i) + ',';
    }
    if (const auto* v = std::get_if<std::vector<double>>(&value)) {
      key.append(reinterpret_cast<const char*>(v->data()), v->size() * sizeof(double));
    }
    if (const auto* v = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& s : *v) key += std::to_string(s.size()) + '"' + s;
    }
    if (const auto* t = std::get_if<TensorData>(&value)) key += ir::content_hash(*t);
  }
  for (int i = 0; i < node.output_count(); ++i) key += ' ' + ir::to_string(node.output(i)->type);
  return key;
}

}  // namespace

Result<bool> merge_common_subexpressions(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  std::map<std::string, ir::Node*> seen;
  // An output keeps its own node when its twin is an output too: the plan writes both.
  std::set<const ir::Value*> results(graph.body().results().begin(), graph.body().results().end());
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() == ir::Node::kReturnOp || !node->regions().empty()) continue;
    const auto [position, is_new] = seen.emplace(key_of(*node), node);
    if (is_new) continue;
    bool is_result = false;
    for (int i = 0; i < node->output_count(); ++i) is_result |= results.count(node->output(i)) > 0;
    if (is_result) continue;
    if (!context.allow_rewrite()) return changed;
    add_origins(position->second->origins, node->origins);
    for (int i = 0; i < node->output_count(); ++i) {
      ir::Graph::replace_all_uses(node->output(i), position->second->output(i));
    }
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
