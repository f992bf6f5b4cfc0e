// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/materialize_padding.h"

#include "builder/passes/make_node.h"

#include <algorithm>

namespace tenon::passes {
namespace {

/// One input channel for each group.
bool is_depthwise(const ir::Node& conv) {
  const ir::Shape& weights = conv.input(1)->type.shape;
  return conv.integer("group", 1) > 1 && weights[1] == ir::Dim(1);
}

}  // namespace

Result<bool> materialize_padding(ir::Graph& graph, const PassContext& context) {
  bool changed = false;
  for (ir::Node* node : graph.body().node_list()) {
    if (node->op() != "conv" || is_depthwise(*node)) continue;
    // With auto_pad the pads follow from the sizes of each run, and the attribute does not count.
    if (node->text("auto_pad", "NOTSET") != "NOTSET") continue;
    const std::vector<int64_t> pads = node->integers("pads");
    const bool any = std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad != 0; });
    const bool copies = std::all_of(pads.begin(), pads.end(), [](int64_t pad) { return pad >= 0; });
    if (!any || !copies) continue;
    if (!context.allow_rewrite()) return changed;
    // [begins..., ends...] of the spatial axes; batch and channels are not padded.
    const size_t spatial = pads.size() / 2;
    std::vector<int64_t> all_axes(2 * (spatial + 2), 0);
    for (size_t i = 0; i < spatial; ++i) {
      all_axes[2 + i] = pads[i];
      all_axes[spatial + 4 + i] = pads[spatial + i];
    }
    TENON_ASSIGN(ir::Node* pad,
                 make_node("pad", {node->input(0)}, {{"pads", all_axes}}, node, node->origins));
    node->set_input(0, pad->output());
    node->attributes.erase("pads");
    changed = true;
  }
  return changed;
}

}  // namespace tenon::passes
