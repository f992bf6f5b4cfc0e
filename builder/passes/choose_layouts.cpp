// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/choose_layouts.h"

#include "builder/ops/op.h"
#include "builder/passes/make_node.h"

#include <algorithm>

namespace tenon::passes {
namespace {

using Predicate = bool (*)(const ops::OpDefinition&);

/// Whether an operator of the node, or of the group that it is, satisfies the predicate.
bool any_operator(const ir::Node& node, Predicate predicate) {
  const auto satisfies = [predicate](const ir::Node& inner) {
    const ops::OpDefinition* definition = ops::find(inner.op());
    return definition && predicate(*definition);
  };
  if (node.op() != ir::Node::kGroupOp) return satisfies(node);
  const auto& nodes = node.regions()[0]->nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto& inner) { return satisfies(*inner); });
}

bool is_spatial(const ops::OpDefinition& op) { return op.is_spatial; }
bool is_contraction(const ops::OpDefinition& op) { return op.kind == ops::Kind::contraction; }

bool is_view(const ir::Node& node) {
  const ops::OpDefinition* definition = ops::find(node.op());
  return definition && definition->is_view;
}

/// Channels innermost, or natural where that is the same order of bytes (one channel, or no space).
ir::Layout channels_last(const ir::Shape& shape) {
  const auto is_one = [](const ir::Dim& dim) { return dim == ir::Dim(1); };
  if (is_one(shape[1]) || std::all_of(shape.begin() + 2, shape.end(), is_one)) return {};
  return ir::Layout::channels_last(static_cast<int>(shape.size()));
}

/// A group's parameters and results have the types of its inputs and outputs.
void update_region(ir::Node& node) {
  if (node.op() != ir::Node::kGroupOp) return;
  ir::Region& body = *node.regions()[0];
  for (int i = 0; i < node.input_count(); ++i) {
    body.parameter(i)->type.layout = node.input(i)->type.layout;
  }
  for (int i = 0; i < node.output_count(); ++i) {
    body.results()[i]->type.layout = node.output(i)->type.layout;
  }
}

/// Makes input `index` of `node` lie in `layout`: the conversion made before, a constant's own
/// layout, or a new conversion. Says whether there was anything to do.
Result<bool> convert_input(ir::Node* node, int index, const ir::Layout& layout) {
  ir::Value* value = node->input(index);
  if (!value || value->type.layout == layout) return false;
  if (const TensorData* data = ir::Graph::constant_of(value)) {
    // Constants take their layout when the plan is written; a copy shares the bytes.
    if (value->has_one_use()) {
      value->type.layout = layout;
      return true;
    }
    ir::Value* copy = ir::Graph::add_constant(*node->parent(), *data, value->name, node);
    copy->type.layout = layout;
    copy->known_elements = value->known_elements;
    node->set_input(index, copy);
    return true;
  }
  for (const ir::Use& use : value->uses()) {
    if (use.node->op() == "convert_layout" && use.node->output()->type.layout == layout) {
      // Nodes are visited in order, so a conversion that exists was made for an earlier one.
      node->set_input(index, use.node->output());
      return true;
    }
  }
  const std::vector<std::string> origins =
      value->producer() ? value->producer()->origins : node->origins;
  TENON_ASSIGN(ir::Node * conversion, make_node("convert_layout", {value}, {}, node, origins));
  conversion->output()->type.layout = layout;
  node->set_input(index, conversion->output());
  return true;
}

/// Whether the node gains from channels innermost in its output.
bool wants_channels_last(const ir::Node& node) {
  if (node.output_count() != 1 || node.output()->type.rank() < 3 || is_view(node)) return false;
  if (any_operator(node, is_spatial)) return true;
  return std::any_of(node.inputs().begin(), node.inputs().end(), [&](const ir::Value* input) {
    return input && input->type.rank() == node.output()->type.rank() &&
           !input->type.layout.natural();
  });
}

/// Whether a step that writes channels innermost reads this input lane by lane, so that it should
/// lie the same way. A contraction broadcasts its first operand, which may lie in any way.
bool follows_output(const ir::Node& node, int index, bool contraction) {
  const ir::Value* input = node.input(index);
  if (!input || input->type.rank() != node.output()->type.rank()) return false;
  if (!contraction) return true;
  return input->type.shape == node.output()->type.shape && index > 0;
}

/// Says whether any layout changed.
Result<bool> give_layouts(ir::Node* node) {
  const ir::Layout layout = channels_last(node->output()->type.shape);
  const bool contraction = any_operator(*node, is_contraction);
  bool changed = node->output()->type.layout != layout;
  node->output()->type.layout = layout;
  for (int i = 0; i < node->input_count(); ++i) {
    if (!follows_output(*node, i, contraction)) continue;
    const ir::Layout wanted = channels_last(node->input(i)->type.shape);
    TENON_ASSIGN(const bool converted, convert_input(node, i, wanted));
    changed = changed || converted;
  }
  return changed;
}

}  // namespace

Result<bool> choose_layouts(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node* node : graph.body().node_list()) {
    if (node->is_constant()) continue;
    if (node->op() == ir::Node::kReturnOp || is_view(*node)) {
      for (int i = 0; i < node->input_count(); ++i) {
        TENON_RETURN_IF_ERROR(convert_input(node, i, ir::Layout()).status());
      }
      continue;
    }
    if (wants_channels_last(*node) && context.allow_rewrite()) {
      TENON_ASSIGN(const bool given, give_layouts(node));
      changed = changed || given;
    }
    update_region(*node);
  }
  return changed;
}

}  // namespace tenon::passes
