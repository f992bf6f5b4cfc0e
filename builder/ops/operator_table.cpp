// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/operator_table.h"

#include "builder/ops/op.h"

#include <fmt/format.h>

#include <map>

namespace tenon::ops {
namespace {

/// "f16 f32 ..." or the name of a set that has one.
std::string describe(const TypeSet& types) {
  const std::pair<const TypeSet*, const char*> named[] = {{&any_types(), "all"},
                                                          {&all_types(), "numbers, bool"},
                                                          {&numbers(), "numbers"},
                                                          {&floats(), "floats"},
                                                          {&integers(), "integers"},
                                                          {&booleans(), "bool"},
                                                          {&signed_numbers(), "signed numbers"}};
  for (const auto& [set, name] : named) {
    if (*set == types) return name;
  }
  std::string text;
  for (const DataType type : types)
    text += (text.empty() ? "" : " ") + std::string(to_string(type));
  return text;
}

/// "|" would end a cell.
std::string cell(std::string text) {
  for (size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, "\\");
  }
  return text;
}

}  // namespace

std::string operator_table() {
  std::map<std::string, std::string> rows;
  std::string graph_rows;
  for (const OpDefinition* definition : all()) {
    const bool is_node = definition->kind != Kind::import_only;
    for (const auto& onnx : definition->onnx_names) {
      const std::string types = is_node ? describe(definition->inputs.at(0).types) : "as its parts";
      rows[onnx.name] = fmt::format("| {}{} | {} | {} | {} |\n",
                                    onnx.domain.empty() ? "" : onnx.domain + "::", onnx.name,
                                    onnx.since, types, cell(definition->summary));
    }
    if (!is_node) continue;
    std::string inputs, attributes;
    for (const auto& input : definition->inputs) {
      inputs += (inputs.empty() ? "" : ", ") + input.name;
      if (input.optional) inputs += "?";
      if (input.variadic) inputs += "...";
    }
    for (const auto& attribute : definition->attributes) {
      attributes += (attributes.empty() ? "" : ", ") + attribute.name;
    }
    graph_rows += fmt::format("| {} | {} | {} | {} |\n", definition->name, inputs, attributes,
                              cell(definition->summary));
  }
  std::string text =
      "# Operators\n\n"
      "Generated from the definitions in `builder/ops`; `tests/ops/operator_table_test.cpp` "
      "compares.\n\n"
      "## ONNX operators\n\n"
      "An operator is known from the opset given on. Floats are f64, f32, f16 and bf16; integers "
      "have 8 to 64 "
      "bits.\n\n"
      "| ONNX operator | since | types of the first input | computes |\n|---|---|---|---|\n";
  for (const auto& [name, row] : rows) text += row;
  text +=
      "\n## Graph operators\n\n| operator | inputs | attributes | computes |\n|---|---|---|---|\n";
  return text + graph_rows;
}

}  // namespace tenon::ops
