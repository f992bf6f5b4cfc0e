// SPDX-License-Identifier: Apache-2.0
#include "tests/support/operator_example.h"

#include "builder/ir/attribute_text.h"
#include "builder/ir/scanner.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace tenon::test {
namespace {

using ops::ReferenceTensor;

using Sizes = std::map<std::string, int64_t>;

int64_t size_of_symbol(const std::string& name, const Sizes& given) {
  static const Sizes defaults{{"N", 3}, {"M", 2}, {"H", 7}, {"W", 6}};
  if (const auto found = given.find(name); found != given.end()) return found->second;
  const auto found = defaults.find(name);
  return found == defaults.end() ? 4 : found->second;
}

/// Up to the space that ends a token outside of brackets, or the start of the attributes.
std::string next_token(std::string_view text, size_t& at) {
  while (at < text.size() && text[at] == ' ') ++at;
  const size_t start = at;
  while (at < text.size() && text[at] != ' ') ++at;
  return std::string(text.substr(start, at - start));
}

std::vector<int64_t> concrete(const ir::Shape& shape, const Sizes& sizes, Sizes& symbols) {
  std::vector<int64_t> dims;
  for (const ir::Dim& dim : shape) {
    for (const std::string& name : dim.symbols()) symbols[name] = size_of_symbol(name, sizes);
    dims.push_back(*dim.evaluate([&](const std::string& name) -> std::optional<int64_t> {
      const auto found = symbols.find(name);
      return found == symbols.end() ? std::nullopt : std::optional(found->second);
    }));
  }
  return dims;
}

}  // namespace

Status OperatorExample::run_reference() {
  ops::Operands in;
  for (size_t i = 0; i < operands.size(); ++i) {
    in.push_back(node->input(static_cast<int>(i)) ? &operands[i] : nullptr);
  }
  ops::Results out;
  for (auto& result : results) out.push_back(&result);
  return ops::run_reference(*node, in, out);
}

ReferenceTensor random_tensor(DataType type, const std::vector<int64_t>& dims, uint64_t seed) {
  std::mt19937_64 random(seed * 7919 + static_cast<uint64_t>(type));
  ReferenceTensor tensor;
  tensor.type = type;
  tensor.dims = dims;
  const int64_t count = tensor.count();
  for (int64_t i = 0; i < count; ++i) {
    if (is_float(type)) {
      const auto value = static_cast<double>(random() >> 40) / (1 << 24);
      tensor.reals.push_back(value * 4 - 2);
    } else if (type == DataType::boolean) {
      tensor.integers.push_back(static_cast<int64_t>(random() % 2));
    } else if (is_signed_integer(type)) {
      tensor.integers.push_back(static_cast<int64_t>(random() % 11) - 5);
    } else {
      tensor.integers.push_back(static_cast<int64_t>(random() % 10));
    }
  }
  return ops::to_reference(ops::to_tensor_data(tensor));
}

Result<OperatorExample> make_example(const std::string& op, const std::string& text,
                                     uint64_t seed, const Sizes& sizes) {
  const ops::OpDefinition* definition = ops::find(op);
  if (!definition) return Status(ErrorCode::bad_argument, "no operator " + op);
  OperatorExample example;
  const size_t brace = text.find('{');
  const std::string operands = text.substr(0, brace);
  std::vector<ir::Value*> values;
  size_t at = 0;
  for (std::string token = next_token(operands, at); !token.empty();
       token = next_token(operands, at)) {
    const auto index = values.size();
    example.operands.emplace_back();
    if (token == "_") {
      values.push_back(nullptr);
      continue;
    }
    const size_t given = token.find('=');
    TENON_ASSIGN(ir::TensorType type, ir::parse_type(token.substr(0, given)));
    const auto dims = concrete(type.shape, sizes, example.symbols);
    const std::string name = fmt::format("x{}", index);
    if (given == std::string::npos) {
      example.operands.back() = random_tensor(type.type, dims, seed + index);
      values.push_back(example.graph.body().add_parameter(type, name));
      continue;
    }
    ir::Scanner scanner(std::string_view(token).substr(given + 1));
    const int64_t count = ir::element_count(type.shape).constant();
    TENON_ASSIGN(TensorData data, ir::parse_payload(scanner, type.type, dims, count, nullptr));
    example.operands.back() = ops::to_reference(data);
    values.push_back(ir::Graph::add_constant(example.graph.body(), std::move(data), name));
  }

  Attributes attributes;
  if (brace != std::string::npos) {
    ir::Scanner scanner(std::string_view(text).substr(brace));
    TENON_ASSIGN(attributes, ir::parse_attributes(scanner, nullptr));
  }
  ops::OpView view{op, attributes, {}, {}, {}, 1};
  for (const ir::Value* value : values) {
    view.inputs.push_back(value ? &value->type : nullptr);
    view.values.push_back(value);
  }
  TENON_ASSIGN(const ops::Types types, ops::infer_types(*definition, view));
  example.node = example.graph.body().insert(op, values);
  example.node->attributes = attributes;
  example.node->origins = {op};
  std::vector<ir::Value*> outputs;
  for (const auto& type : types) {
    outputs.push_back(example.node->add_output(type, fmt::format("y{}", outputs.size())));
    ReferenceTensor result;
    result.type = type.type;
    result.dims = concrete(type.shape, sizes, example.symbols);
    example.results.push_back(std::move(result));
    example.graph.output_names.push_back(outputs.back()->name);
  }
  example.graph.body().set_results(outputs);
  for (const auto& [name, size] : example.symbols) example.graph.symbols[name] = {size, size, size};
  return example;
}

double joined_elements(const OperatorExample& example) {
  const ops::Kind kind = ops::find(example.node->op())->kind;
  if (kind != ops::Kind::contraction && kind != ops::Kind::reduction) return 1;
  int64_t most = 1;
  for (const ReferenceTensor& operand : example.operands) most = std::max(most, operand.count());
  return static_cast<double>(most);
}

std::vector<const ops::OpDefinition*> elementwise_operators() {
  std::vector<const ops::OpDefinition*> result;
  for (const ops::OpDefinition* definition : ops::all()) {
    bool free_to_run = definition->scalar != nullptr;
    for (const auto& attribute : definition->attributes) {
      free_to_run = free_to_run && !attribute.required;
    }
    if (free_to_run) result.push_back(definition);
  }
  return result;
}

std::string random_operands(const ops::OpDefinition& definition, DataType type,
                            const std::vector<int64_t>& sizes, std::mt19937_64& random) {
  std::vector<int64_t> full(random() % 4);
  for (int64_t& dim : full) dim = sizes[random() % sizes.size()];
  std::string text;
  for (const ops::OpDefinition::Input& input : definition.inputs) {
    // Some axes are 1, some leading ones left out.
    std::string dims;
    for (size_t axis = random() % (full.size() + 1); axis < full.size(); ++axis) {
      const int64_t dim = random() % 3 == 0 ? 1 : full[axis];
      dims += (dims.empty() ? "" : ",") + std::to_string(dim);
    }
    const bool same = input.types == definition.inputs[0].types;
    text += fmt::format("{}{}[{}]", text.empty() ? "" : " ",
                        to_string(same ? type : *input.types.begin()), dims);
  }
  return text;
}

ops::Tolerance tolerance_of(const ops::OpDefinition& definition, DataType type, double joined) {
  const auto own = definition.tolerances.find(type);
  if (own != definition.tolerances.end()) return own->second;
  const double scale = std::sqrt(std::max(joined, 1.0));
  switch (type) {
    case DataType::f64:
      return {1e-12 * scale, 1e-10 * scale};
    case DataType::f32:
      return {1e-6 * scale, 1e-5 * scale};
    case DataType::f16:
      return {1e-3 * scale, 2e-3 * scale};
    case DataType::bf16:
      return {1e-2 * scale, 1e-2 * scale};
    default:
      return {};
  }
}

std::string difference(const ReferenceTensor& actual, const ReferenceTensor& expected,
                       ops::Tolerance tolerance) {
  if (actual.type != expected.type || actual.dims != expected.dims) return "type or dims differ";
  for (int64_t i = 0; i < expected.count(); ++i) {
    if (!is_float(expected.type)) {
      if (actual.integers[i] == expected.integers[i]) continue;
      return fmt::format("element {} is {}, expected {}", i, actual.integers[i],
                         expected.integers[i]);
    }
    const double a = actual.reals[i], b = expected.reals[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (std::fabs(a - b) <= tolerance.absolute + tolerance.relative * std::fabs(b)) continue;
    return fmt::format("element {} is {}, expected {}", i, a, b);
  }
  return "";
}

}  // namespace tenon::test
