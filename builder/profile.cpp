// SPDX-License-Identifier: Apache-2.0
#include "builder/profile.h"

#include "builder/ops/dims_attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

namespace tenon {
namespace {

constexpr ir::SymbolRange kDefaultRange = {1, 1, 64};

Status bad_shape(const std::string& input, const std::string& what) {
  return Status(ErrorCode::bad_argument, fmt::format("--shape: input \"{}\": {}", input, what));
}

/// Joins what one input says of a symbol with what others said.
Status set_range(const std::string& input, const std::string& symbol, const ir::SymbolRange& range,
                 std::map<std::string, ir::SymbolRange>& ranges) {
  if (range.minimum < 0 || range.minimum > range.optimum || range.optimum > range.maximum) {
    return bad_shape(input, fmt::format("{} has the range {}:{}:{}; MIN <= OPT <= MAX is needed",
                                        symbol, range.minimum, range.optimum, range.maximum));
  }
  const auto [found, is_new] = ranges.emplace(symbol, range);
  const ir::SymbolRange& known = found->second;
  if (!is_new && (known.minimum != range.minimum || known.optimum != range.optimum ||
                  known.maximum != range.maximum)) {
    return bad_shape(input, fmt::format("{} has two ranges, {}:{}:{} and {}:{}:{}", symbol,
                                        known.minimum, known.optimum, known.maximum, range.minimum,
                                        range.optimum, range.maximum));
  }
  return {};
}

Status read_input(const ir::Value& input, const ShapeRange& given,
                  std::map<std::string, ir::SymbolRange>& ranges) {
  const ir::Shape& shape = input.type.shape;
  if (given.minimum.size() != shape.size() || given.optimum.size() != shape.size() ||
      given.maximum.size() != shape.size()) {
    return bad_shape(input.name, fmt::format("has {} dims {}, the shape given has {}", shape.size(),
                                             ir::to_string(shape), given.optimum.size()));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const ir::SymbolRange range = {given.minimum[i], given.optimum[i], given.maximum[i]};
    if (const auto symbol = shape[i].as_symbol()) {
      TENON_RETURN_IF_ERROR(set_range(input.name, *symbol, range, ranges));
    } else if (shape[i].is_constant()) {
      for (const int64_t size : {range.minimum, range.optimum, range.maximum}) {
        if (size == shape[i].constant()) continue;
        return bad_shape(input.name,
                         fmt::format("dim {} is {} in the model, the shape given has {}", i,
                                     shape[i].constant(), size));
      }
    }
  }
  return {};
}

void substitute(ir::Region& region, const std::map<std::string, ir::Dim>& fixed) {
  const auto change = [&fixed](ir::Value& value) {
    for (ir::Dim& dim : value.type.shape) dim = dim.substitute(fixed);
    if (!value.known_elements) return;
    for (ir::Dim& dim : *value.known_elements) dim = dim.substitute(fixed);
  };
  for (const auto& parameter : region.parameters()) change(*parameter);
  for (const auto& node : region.nodes()) {
    for (int i = 0; i < node->output_count(); ++i) change(*node->output(i));
    for (auto& [name, value] : node->attributes) {
      if (!std::holds_alternative<std::vector<std::string>>(value)) continue;
      auto dims = ops::parse_dims_attribute(value);
      if (!dims) continue;
      for (ir::Dim& dim : *dims) dim = dim.substitute(fixed);
      value = ops::make_dims_attribute(*dims);
    }
    for (const auto& inner : node->regions()) substitute(*inner, fixed);
  }
}

/// Every tensor at the maximum of the profile.
Status check_sizes(const ir::Region& region, const ir::SymbolRanges& symbols) {
  const auto check = [&](const ir::Value& value, const std::string& what) {
    const Status status = ir::check_size(value.type, symbols);
    if (status.ok()) return status;
    return Status(ErrorCode::bad_argument,
                  fmt::format("{}: {} at the maximum of the profile", what, status.message()));
  };
  for (const auto& input : region.parameters()) {
    TENON_RETURN_IF_ERROR(check(*input, fmt::format("input \"{}\"", input->name)));
  }
  for (const auto& node : region.nodes()) {
    for (int i = 0; i < node->output_count(); ++i) {
      TENON_RETURN_IF_ERROR(check(*node->output(i), fmt::format("{} ({}) output {}", node->op(),
                                                               fmt::join(node->origins, ", "), i)));
    }
  }
  return {};
}

std::string join(const ir::Shape& shape, const ir::SymbolRanges& symbols,
                 int64_t ir::SymbolRange::* bound) {
  std::vector<std::string> dims;
  for (const ir::Dim& dim : shape) {
    const auto value = dim.evaluate([&](const std::string& name) -> std::optional<int64_t> {
      const auto found = symbols.find(name);
      if (found == symbols.end()) return std::nullopt;
      return found->second.*bound;
    });
    dims.push_back(value ? std::to_string(*value) : dim.to_string());
  }
  return fmt::format("{}", fmt::join(dims, "x"));
}

}  // namespace

Status apply_profile(ir::Graph& graph, const ShapeProfile& profile) {
  std::map<std::string, ir::SymbolRange> ranges;
  std::set<std::string> input_names;
  for (const auto& input : graph.body().parameters()) {
    input_names.insert(input->name);
    const auto given = profile.find(input->name);
    if (given != profile.end()) TENON_RETURN_IF_ERROR(read_input(*input, given->second, ranges));
  }
  for (const auto& [name, range] : profile) {
    if (!input_names.count(name)) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("--shape: the model has no input \"{}\"; its inputs are: {}", name,
                                fmt::join(input_names, ", ")));
    }
  }
  for (const auto& input : graph.body().parameters()) {
    const ir::Shape& shape = input->type.shape;
    const auto leading = shape.empty() ? std::nullopt : shape[0].as_symbol();
    if (leading) ranges.emplace(*leading, kDefaultRange);
  }
  for (const auto& input : graph.body().parameters()) {
    for (size_t i = 0; i < input->type.shape.size(); ++i) {
      const auto symbol = input->type.shape[i].as_symbol();
      if (symbol && !ranges.count(*symbol)) {
        return Status(
            ErrorCode::bad_argument,
            fmt::format("input \"{}\": {} has the dynamic dim {} at position {}; give its range, "
                        "e.g. --shape {}=MIN:OPT:MAX with {} dims each",
                        input->name, ir::to_string(input->type.shape), *symbol, i, input->name,
                        input->type.shape.size()));
      }
    }
  }
  std::map<std::string, ir::Dim> fixed;
  // Symbols that no input has are sizes that data decides; they keep their bounds.
  for (const auto& [symbol, range] : ranges) {
    if (range.minimum == range.maximum) {
      fixed[symbol] = ir::Dim(range.minimum);
      graph.symbols.erase(symbol);
    } else {
      graph.symbols[symbol] = range;
    }
  }
  substitute(graph.body(), fixed);
  return check_sizes(graph.body(), graph.symbols);
}

std::string describe_profile(const ir::Graph& graph) {
  std::vector<std::string> inputs;
  for (const auto& input : graph.body().parameters()) {
    const ir::Shape& shape = input->type.shape;
    const std::string optimum = join(shape, graph.symbols, &ir::SymbolRange::optimum);
    inputs.push_back(ir::is_static(shape)
                         ? fmt::format("{} {}", input->name, optimum)
                         : fmt::format("{} {}:{}:{}", input->name,
                                       join(shape, graph.symbols, &ir::SymbolRange::minimum),
                                       optimum,
                                       join(shape, graph.symbols, &ir::SymbolRange::maximum)));
  }
  return fmt::format("{}", fmt::join(inputs, ", "));
}

}  // namespace tenon
