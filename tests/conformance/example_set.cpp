// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/example_set.h"

#include "builder/ir/text.h"
#include "tests/conformance/guarded_buffer.h"

#include <fmt/format.h>

namespace tenon::conformance {
namespace {

using ops::ReferenceTensor;

/// Every symbol of the examples takes any of the sizes up to this.
constexpr ir::SymbolRange kRange = {0, 3, 40};

const char* to_string(Feed feed) {
  switch (feed) {
    case Feed::as_written:
      return "as written";
    case Feed::all_inputs:
      return "all operands are inputs";
    case Feed::constant_weights:
      return "constant weights";
  }
  return "";
}

bool is_constant(const test::OperatorExample& source, size_t operand) {
  return ir::Graph::constant_of(source.node->input(static_cast<int>(operand))) != nullptr;
}

/// Whether `feed` is another graph than as_written, and one that can be.
bool applies(const test::OperatorExample& source, Feed feed) {
  bool changes = feed == Feed::as_written;
  for (size_t i = 0; i < source.operands.size(); ++i) {
    const ir::Value* operand = source.node->input(static_cast<int>(i));
    if (!operand) continue;
    const bool constant = is_constant(source, i);
    if (feed == Feed::all_inputs) changes = changes || constant;
    if (feed == Feed::constant_weights && i > 0 && !constant) {
      if (!ir::is_static(operand->type.shape)) return false;
      changes = true;
    }
  }
  return changes;
}

}  // namespace

Result<std::vector<ir::Value*>> ExampleSet::add_operands(const test::OperatorExample& source,
                                                         Example& example) {
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < source.operands.size(); ++i) {
    const ir::Value* operand = source.node->input(static_cast<int>(i));
    example.constants.emplace_back();
    example.inputs.emplace_back();
    if (!operand) {
      values.push_back(nullptr);
      continue;
    }
    const std::string name = fmt::format("e{}_x{}", examples_.size(), i);
    const bool given = is_constant(source, i);
    if (given || (example.feed == Feed::constant_weights && i > 0)) {
      example.constants.back() = source.operands[i];
    }
    if (example.constants.back() && example.feed != Feed::all_inputs) {
      values.push_back(
          ir::Graph::add_constant(graph_.body(), ops::to_tensor_data(source.operands[i]), name));
      continue;
    }
    example.inputs.back() = name;
    values.push_back(graph_.body().add_parameter(operand->type, name));
  }
  return values;
}

Result<bool> ExampleSet::add(const std::string& op, const std::string& text, Feed feed,
                             uint64_t seed) {
  TENON_ASSIGN(const test::OperatorExample source, test::make_example(op, text, seed));
  if (!applies(source, feed)) return false;
  Example example{op, text, feed, {}, {}, fmt::format("e{}_y", examples_.size())};
  TENON_ASSIGN(const std::vector<ir::Value*> values, add_operands(source, example));
  ir::Node* node = graph_.body().insert(op, values);
  node->attributes = source.node->attributes;
  node->origins = {fmt::format("e{}", examples_.size())};
  ops::OpView view = ops::view(*node);
  view.output_count = source.node->output_count();
  const Result<ops::Types> types = ops::infer_types(*ops::find(op), view);
  if (!types.ok()) {
    graph_.body().erase(node);
    for (const std::string& input : example.inputs) {
      const int last = static_cast<int>(graph_.body().parameters().size()) - 1;
      if (!input.empty()) graph_.body().remove_parameter(last);
    }
    return feed == Feed::all_inputs ? Result<bool>(false) : types.status();
  }
  std::vector<ir::Value*> results = graph_.body().results();
  for (const ir::TensorType& type : *types) {
    const int number = node->output_count();
    results.push_back(node->add_output(type, example.output + std::to_string(number)));
    graph_.output_names.push_back(results.back()->name);
  }
  graph_.body().set_results(results);
  for (const auto& [name, size] : source.symbols) graph_.symbols[name] = kRange;
  examples_.push_back(std::move(example));
  return true;
}

std::string ExampleSet::to_text() const { return ir::print(graph_); }

Result<Engine> ExampleSet::build(const Configuration& configuration) const {
  BuildOptions options;
  for (const auto& parameter : graph_.body().parameters()) {
    if (ir::is_static(parameter->type.shape)) continue;
    ShapeRange& range = options.shapes[parameter->name];
    for (const ir::Dim& dim : parameter->type.shape) {
      const bool fixed = dim.is_constant();
      range.minimum.push_back(fixed ? dim.constant() : kRange.minimum);
      range.optimum.push_back(fixed ? dim.constant() : kRange.optimum);
      range.maximum.push_back(fixed ? dim.constant() : kRange.maximum);
    }
  }
  Network network("examples");
  network.graph() = graph_.clone();
  // An operator's attribute may name a symbol that no operand has: here an input has each.
  for (const auto& [symbol, range] : graph_.symbols) {
    const ir::TensorType type{DataType::u8, {ir::Dim::symbol(symbol)}, {}};
    network.graph().body().add_parameter(type, symbol);
    options.shapes[symbol] = {{range.minimum}, {range.optimum}, {range.maximum}};
  }
  return make_engine(std::move(network), configuration, options);
}

std::vector<std::string> ExampleSet::run(const Engine& engine, uint64_t seed,
                                         const Sizes& sizes) const {
  std::vector<test::OperatorExample> expected;
  std::vector<GuardedBuffer> inputs, outputs;
  Result<Context> context = engine.create_context();
  if (!context.ok()) return {context.status().to_string()};
  for (const Example& example : examples_) {
    Result<test::OperatorExample> made = test::make_example(example.op, example.text, seed, sizes);
    if (!made.ok()) return {example.op + " " + example.text + ": " + made.status().to_string()};
    for (size_t i = 0; i < example.inputs.size(); ++i) {
      if (example.constants[i]) made->operands[i] = *example.constants[i];
      if (example.inputs[i].empty()) continue;
      const TensorData data = ops::to_tensor_data(made->operands[i]);
      inputs.emplace_back(data.type, data.bytes);
      const Status set =
          context->set_input(example.inputs[i], data.type, inputs.back().data(), data.dims);
      if (!set.ok()) return {set.to_string()};
    }
    if (Status status = made->run_reference(); !status.ok()) return {status.to_string()};
    for (size_t i = 0; i < made->results.size(); ++i) {
      const ReferenceTensor& result = made->results[i];
      outputs.emplace_back(result.type, byte_size(result.type, result.count()));
      const Status set = context->set_output(example.output + std::to_string(i),
                                             outputs.back().data(), outputs.back().size());
      if (!set.ok()) return {set.to_string()};
    }
    expected.push_back(std::move(*made));
  }
  for (const auto& [symbol, range] : graph_.symbols) {
    const int64_t size = sizes.at(symbol);
    inputs.emplace_back(DataType::u8, size);
    const Status set = context->set_input(symbol, inputs.back().data(), std::vector<int64_t>{size});
    if (!set.ok()) return {set.to_string()};
  }
  if (const Status status = context->run(); !status.ok()) return {status.to_string()};

  std::vector<std::string> failures;
  size_t output = 0;
  for (size_t e = 0; e < examples_.size(); ++e) {
    for (size_t i = 0; i < expected[e].results.size(); ++i, ++output) {
      const ReferenceTensor& wanted = expected[e].results[i];
      const auto actual =
          ops::to_reference(TensorData{wanted.type, wanted.dims, outputs[output].bytes(), nullptr});
      const auto tolerance = test::tolerance_of(*ops::find(examples_[e].op), wanted.type,
                                                test::joined_elements(expected[e]));
      std::string problem = test::difference(actual, wanted, tolerance);
      const auto dims = context->output_dims(examples_[e].output + std::to_string(i));
      if (!dims.ok()) problem = dims.status().to_string();
      if (dims.ok() && *dims != wanted.dims) problem = "the plan gives other dims";
      if (!outputs[output].is_intact()) problem = "writes outside of the output";
      if (problem.empty()) continue;
      failures.push_back(fmt::format("{} {} ({}), output {}: {}", examples_[e].op,
                                     examples_[e].text, to_string(examples_[e].feed), i, problem));
    }
  }
  for (const GuardedBuffer& input : inputs) {
    if (!input.is_intact()) failures.push_back("a kernel writes outside of an input");
  }
  return failures;
}

}  // namespace tenon::conformance
