// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/group.h"

#include "builder/passes/make_node.h"

#include <map>
#include <set>
#include <string>

namespace tenon::passes {
namespace {

using ValueMap = std::map<const ir::Value*, ir::Value*>;

void copy_node(const ir::Node& node, ir::Region& to, ValueMap& values) {
  std::vector<ir::Value*> inputs;
  for (const ir::Value* input : node.inputs()) inputs.push_back(input ? values.at(input) : nullptr);
  ir::Node* copy = to.insert(node.op(), inputs);
  copy->attributes = node.attributes;
  copy->origins = node.origins;
  for (int i = 0; i < node.output_count(); ++i) {
    const ir::Value* output = node.output(i);
    ir::Value* made = copy->add_output(output->type, output->name);
    made->known_elements = output->known_elements;
    values[output] = made;
  }
}

/// Copies the nodes of a group into `to`, its parameters standing for the group's inputs.
void copy_group(const ir::Node& group, ir::Region& to, ValueMap& values) {
  const ir::Region& body = *group.regions()[0];
  for (size_t i = 0; i < body.parameters().size(); ++i) {
    values[body.parameter(static_cast<int>(i))] = values.at(group.input(static_cast<int>(i)));
  }
  for (const auto& node : body.nodes()) {
    if (node->op() != ir::Node::kReturnOp) copy_node(*node, to, values);
  }
  for (int i = 0; i < group.output_count(); ++i) {
    values[group.output(i)] = values.at(body.results()[i]);
  }
}

}  // namespace

ir::Node* make_group(const std::vector<ir::Node*>& nodes, ir::Node* position) {
  ir::Region& outer = *position->parent();
  ir::Node* group = outer.insert(std::string(ir::Node::kGroupOp), {}, position);
  ir::Region* body = group->add_region();
  const std::set<const ir::Node*> members(nodes.begin(), nodes.end());

  ValueMap values;
  std::vector<ir::Value*> inputs;
  for (const ir::Node* node : nodes) {
    for (ir::Value* input : node->inputs()) {
      if (!input || values.count(input) || members.count(input->producer())) continue;
      ir::Value* parameter = body->add_parameter(input->type, input->name);
      parameter->known_elements = input->known_elements;
      values[input] = parameter;
      inputs.push_back(input);
    }
  }
  group->set_inputs(inputs);
  for (const ir::Node* node : nodes) {
    add_origins(group->origins, node->origins);
    if (node->op() == ir::Node::kGroupOp) {
      copy_group(*node, *body, values);
    } else {
      copy_node(*node, *body, values);
    }
  }

  std::vector<ir::Value*> results, replaced;
  for (const ir::Node* node : nodes) {
    for (int i = 0; i < node->output_count(); ++i) {
      ir::Value* output = node->output(i);
      bool used_outside = false;
      for (const ir::Use& use : output->uses()) used_outside |= !members.count(use.node);
      if (!used_outside) continue;
      results.push_back(values.at(output));
      replaced.push_back(output);
    }
  }
  body->set_results(results);
  for (ir::Value* output : replaced) {
    ir::Value* made = group->add_output(output->type, output->name);
    made->known_elements = output->known_elements;
    ir::Graph::replace_all_uses(output, made);
  }
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) outer.erase(*node);
  return group;
}

std::string operators_of(const ir::Node& node) {
  if (node.op() != ir::Node::kGroupOp) return node.op();
  std::string text;
  for (const auto& inner : node.regions()[0]->nodes()) {
    if (inner->op() == ir::Node::kReturnOp || inner->is_constant()) continue;
    text += (text.empty() ? "" : "+") + inner->op();
  }
  return text;
}

}  // namespace tenon::passes
