// SPDX-License-Identifier: Apache-2.0
#include "builder/memory/graph_bound.h"

#include "builder/memory/arena.h"
#include "builder/ops/op.h"

#include <map>
#include <set>
#include <vector>

namespace tenon::memory {
namespace {

const ir::Value* viewed(const ir::Value* value) {
  while (const ir::Node* producer = value->producer()) {
    const ops::OpDefinition* definition = ops::find(producer->op());
    if (!definition || !definition->is_view) break;
    value = producer->input(0);
  }
  return value;
}

}  // namespace

int64_t graph_lower_bound(const ir::Graph& graph) {
  std::set<const ir::Value*> outputs;
  for (const ir::Value* result : graph.body().results()) outputs.insert(viewed(result));
  std::map<const ir::Value*, size_t> numbers;
  std::vector<ArenaBuffer> buffers;
  int step = 0;
  for (const auto& node : graph.body().nodes()) {
    if (node->op() == ir::Node::kReturnOp || node->is_constant()) continue;
    for (const ir::Value* input : node->inputs()) {
      const auto found = input ? numbers.find(viewed(input)) : numbers.end();
      if (found != numbers.end()) buffers[found->second].last_step = step;
    }
    for (int i = 0; i < node->output_count(); ++i) {
      const ir::Value* output = node->output(i);
      if (viewed(output) != output || outputs.count(output)) continue;
      const ir::Dim bits = ir::element_count(output->type.shape) * ir::Dim(bit_width(output->type.type));
      numbers[output] = buffers.size();
      buffers.push_back({bits, (ir::at_maximum(bits, graph.symbols) + 7) / 8, step, step});
    }
    ++step;
  }
  return arena_lower_bound(buffers);
}

}  // namespace tenon::memory
