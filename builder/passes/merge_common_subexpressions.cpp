// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/merge_common_subexpressions.h"

#include "builder/ir/constant.h"
#include "builder/passes/make_node.h"

#include <map>
#include <set>

namespace tenon::passes {
namespace {

/// Unlike any other text, whatever follows it.
std::string quoted(const std::string& text) { return std::to_string(text.size()) + '"' + text; }

bool any_output_in(const ir::Node& node, const std::set<const ir::Value*>& values) {
  for (int i = 0; i < node.output_count(); ++i) {
    if (values.count(node.output(i))) return true;
  }
  return false;
}

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
    if (const auto* s = std::get_if<std::string>(&value)) key += quoted(*s);
    if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) {
      for (int64_t i : *v) key += std::to_string(i) + ',';
    }
    if (const auto* v = std::get_if<std::vector<double>>(&value)) {
      key += std::to_string(v->size()) + ',';
      key.append(reinterpret_cast<const char*>(v->data()), v->size() * sizeof(double));
    }
    if (const auto* v = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& s : *v) key += quoted(s);
    }
    if (const auto* t = std::get_if<TensorData>(&value)) {
      key += ir::to_string({t->type, ir::to_shape(t->dims), {}}) + ir::content_hash(*t);
    }
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
    if (any_output_in(*node, results) && any_output_in(*position->second, results)) continue;
    if (!context.allow_rewrite()) return changed;
    add_origins(position->second->origins, node->origins);
    for (int i = 0; i < node->output_count(); ++i) {
      if (results.count(node->output(i))) results.insert(position->second->output(i));
      ir::Graph::replace_all_uses(node->output(i), position->second->output(i));
    }
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
