// SPDX-License-Identifier: Apache-2.0
// Examples of operators, side by side in one graph: one build and one run serve them all.
#pragma once

#include "tests/conformance/configuration.h"
#include "tests/support/operator_example.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon::conformance {

/// How an example's operands reach its node.
enum class Feed : uint8_t {
  as_written,       ///< given elements are constants, others inputs
  all_inputs,       ///< for elements that are known only at run time
  constant_weights  ///< all but the first are constants, as weights are
};

using Sizes = std::map<std::string, int64_t>;

class ExampleSet {
 public:
  /// Adds a node of `op` with the operands of `text`. False when the operator needs these operands
  /// otherwise, or when `feed` changes nothing.
  Result<bool> add(const std::string& op, const std::string& text, Feed feed, uint64_t seed);

  bool empty() const { return examples_.empty(); }
  size_t size() const { return examples_.size(); }
  bool has_symbols() const { return !graph_.symbols.empty(); }
  std::string to_text() const;

  Result<Engine> build(const Configuration& configuration) const;
  /// Runs a plan of the set on operands of `seed`, with these sizes of the symbols; one line for
  /// each example whose result differs from the reference.
  std::vector<std::string> run(const Engine& engine, uint64_t seed, const Sizes& sizes) const;

 private:
  struct Example {
    std::string op, text;
    Feed feed;
    std::vector<std::optional<ops::ReferenceTensor>> constants;  ///< by operand
    std::vector<std::string> inputs;  ///< names, by operand; "" for no input
    std::string output;               ///< what names of outputs begin with
  };
  Result<std::vector<ir::Value*>> add_operands(const test::OperatorExample& source,
                                               Example& example);

  ir::Graph graph_{"examples"};
  std::vector<Example> examples_;
};

}  // namespace tenon::conformance
