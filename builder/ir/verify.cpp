// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/verify.h"

#include "builder/ir/constant.h"
#include "builder/ir/scanner.h"

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tenon::ir {
namespace {

constexpr size_t kMaximumKnownElements = 64;

std::string describe(const Node& node) {
  std::string text = "node " + node.op();
  if (node.output_count() > 0 && !node.output()->name.empty()) {
    text += " of " + quote(node.output()->name);
  }
  for (size_t i = 0; i < node.origins.size(); ++i) {
    text += (i == 0 ? " from " : ", ") + quote(node.origins[i]);
  }
  return text;
}

std::string describe(const Value& value) {
  const std::string name = value.name.empty() ? "" : " " + quote(value.name);
  if (value.producer()) {
    return "output " + std::to_string(value.index()) + name + " of " + describe(*value.producer());
  }
  return "parameter " + std::to_string(value.index()) + name;
}

Status wrong(const std::string& message) { return Status(ErrorCode::internal, message); }

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  Status graph() {
    for (const auto& [symbol, range] : graph_.symbols) {
      if (range.maximum >= 0 && range.minimum > range.maximum) {
        return wrong("the symbol " + quote(symbol) + " has the minimum " +
                     std::to_string(range.minimum) + " above its maximum " +
                     std::to_string(range.maximum));
      }
    }
    TENON_RETURN_IF_ERROR(region(graph_.body(), "the body of the graph"));
    return outputs();
  }

 private:
  Status outputs() {
    const std::vector<Value*>& results = graph_.body().results();
    if (graph_.output_names.size() != results.size()) {
      return wrong("the graph has " + std::to_string(results.size()) + " results and " +
                   std::to_string(graph_.output_names.size()) + " output names");
    }
    std::set<std::string> names;
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string& name = graph_.output_names[i];
      if (!names.insert(name).second) {
        return wrong("two outputs of the graph have the name " + quote(name));
      }
      if (!results[i]) return wrong("the output " + quote(name) + " has no value");
    }
    return Status();
  }

  Status region(const Region& region, const std::string& what) {
    if (region.nodes().empty() || region.nodes().back().get() != region.terminator()) {
      return wrong(what + " does not end in return");
    }
    std::unordered_set<const Value*> defined;
    std::unordered_map<const Value*, size_t> use_counts;
    for (const auto& parameter : region.parameters()) {
      TENON_RETURN_IF_ERROR(value(*parameter, what + ", "));
      defined.insert(parameter.get());
    }
    for (const auto& current : region.nodes()) {
      if (current->op() == Node::kReturnOp && current.get() != region.terminator()) {
        return wrong(what + " has a return that is not its last node");
      }
      for (int i = 0; i < current->input_count(); ++i) {
        if (current->input(i)) ++use_counts[current->input(i)];
        TENON_RETURN_IF_ERROR(input(*current, i, region, defined));
      }
      TENON_RETURN_IF_ERROR(node(*current));
      for (int i = 0; i < current->output_count(); ++i) defined.insert(current->output(i));
    }
    for (const Value* value : defined) TENON_RETURN_IF_ERROR(uses(*value, use_counts[value]));
    return Status();
  }

  Status input(const Node& node, int index, const Region& region,
               const std::unordered_set<const Value*>& defined) {
    const Value* value = node.input(index);
    if (!value) return Status();
    const std::string where = describe(node) + ", input " + std::to_string(index);
    if (value->region() != &region) {
      return wrong(where + ": " + describe(*value) +
                   " belongs to another region; it must come in as a parameter");
    }
    if (!defined.contains(value)) {
      return wrong(where + ": " + describe(*value) + " is not defined before this use");
    }
    return Status();
  }

  Status uses(const Value& value, size_t expected) {
    std::set<std::pair<const Node*, int>> seen;
    for (const Use& use : value.uses()) {
      if (!use.node || use.node->input(use.index) != &value ||
          !seen.emplace(use.node, use.index).second) {
        return wrong(describe(value) + " lists a use that does not exist");
      }
    }
    if (seen.size() == expected) return Status();
    return wrong(describe(value) + " is used " + std::to_string(expected) + " times and lists " +
                 std::to_string(seen.size()) + " uses");
  }

  Status node(const Node& node) {
    for (int i = 0; i < node.output_count(); ++i) {
      TENON_RETURN_IF_ERROR(value(*node.output(i), ""));
    }
    if (node.op() == Node::kReturnOp && node.output_count() > 0) {
      return wrong("a return node has outputs");
    }
    if (node.is_constant()) TENON_RETURN_IF_ERROR(constant(node));
    for (size_t i = 0; i < node.regions().size(); ++i) {
      const std::string what = "region " + std::to_string(i) + " of " + describe(node);
      TENON_RETURN_IF_ERROR(region(*node.regions()[i], what));
    }
    return node.op() == Node::kGroupOp ? group(node) : Status();
  }

  Status value(const Value& value, const std::string& context) {
    const TensorType& type = value.type;
    if (const Status layout = verify_layout(type.layout, type.rank()); !layout.ok()) {
      return wrong(context + describe(value) + ": " + layout.message());
    }
    for (const Dim& dim : type.shape) {
      TENON_RETURN_IF_ERROR(symbols(dim, value, context));
      if (dim.is_constant() && dim.constant() < 0) {
        return wrong(context + describe(value) + " has a negative dim in " + to_string(type.shape));
      }
    }
    if (!value.known_elements) return Status();
    const std::vector<Dim>& known = *value.known_elements;
    for (const Dim& element : known) TENON_RETURN_IF_ERROR(symbols(element, value, context));
    const Dim count = element_count(type.shape);
    if (known.size() > kMaximumKnownElements ||
        (count.is_constant() && count.constant() != static_cast<int64_t>(known.size()))) {
      return wrong(context + describe(value) + " of shape " + to_string(type.shape) + " has " +
                   std::to_string(known.size()) + " known elements");
    }
    return Status();
  }

  Status symbols(const Dim& dim, const Value& value, const std::string& context) {
    if (dim.is_constant()) return Status();
    for (const std::string& symbol : dim.symbols()) {
      if (graph_.symbols.contains(symbol)) continue;
      return wrong(context + describe(value) + " has the dim " + dim.to_string() +
                   ", but the graph has no range for the symbol " + quote(symbol));
    }
    return Status();
  }

  Status constant(const Node& node) {
    const TensorData* data = node.tensor("value");
    if (node.output_count() != 1 || node.input_count() != 0 || !data) {
      return wrong(describe(node) +
                   " needs no input, one output and a tensor as the attribute \"value\"");
    }
    const TensorType& type = node.output()->type;
    if (!is_static(type.shape) || data->type != type.type ||
        data->dims != static_dims(type.shape)) {
      const TensorType actual{data->type, to_shape(data->dims), {}};
      return wrong(describe(node) + " holds " + to_string(actual) + " but its output is " +
                   to_string(type));
    }
    const Dim elements = physical_elements(type.layout, type.shape);
    // More elements than this have no byte count that fits 64 bits.
    const bool fits = elements.constant() <= INT64_MAX / 64 - 1;
    const auto size = static_cast<int64_t>(data->bytes.size());
    if (fits && byte_size(type.type, elements.constant()) == size) return Status();
    return wrong(describe(node) + " has " + std::to_string(size) + " bytes, its type " +
                 to_string(type) + " needs " +
                 (fits ? std::to_string(byte_size(type.type, elements.constant())) : "too many"));
  }

  Status group(const Node& node) {
    if (node.regions().size() != 1) {
      return wrong(describe(node) + " has " + std::to_string(node.regions().size()) +
                   " regions; a group has one");
    }
    const Region& inner = *node.regions()[0];
    const auto counts_differ = [&](const std::string& a, size_t m, const std::string& b, size_t n) {
      return wrong(describe(node) + " has " + std::to_string(m) + " " + a + " and its region " +
                   std::to_string(n) + " " + b);
    };
    const auto types_differ = [&](const std::string& a, const TensorType& x, const std::string& b,
                                  const TensorType* y, size_t index) {
      return wrong(describe(node) + ": " + a + " " + std::to_string(index) + " is " + to_string(x) +
                   ", " + b + " " + std::to_string(index) + " of its region is " +
                   (y ? to_string(*y) : "missing"));
    };
    if (node.inputs().size() != inner.parameters().size()) {
      return counts_differ("inputs", node.inputs().size(), "parameters", inner.parameters().size());
    }
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      const Value* outer = node.inputs()[i];
      if (!outer) return wrong(describe(node) + ": input " + std::to_string(i) + " is left out");
      const TensorType& type = inner.parameters()[i]->type;
      if (outer->type != type) return types_differ("input", outer->type, "parameter", &type, i);
    }
    const auto output_count = static_cast<size_t>(node.output_count());
    if (output_count != inner.results().size()) {
      return counts_differ("outputs", output_count, "results", inner.results().size());
    }
    for (size_t i = 0; i < output_count; ++i) {
      const TensorType& type = node.output(static_cast<int>(i))->type;
      const Value* result = inner.results()[i];
      if (!result || result->type != type) {
        return types_differ("output", type, "result", result ? &result->type : nullptr, i);
      }
    }
    return Status();
  }

  const Graph& graph_;
};

}  // namespace

Status verify(const Graph& graph) { return Verifier(graph).graph(); }

}  // namespace tenon::ir
