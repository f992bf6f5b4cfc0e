// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/failure.h"
#include "builder/ops/op.h"
#include "builder/ops/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace tenon::ops {

#define OP(Name) TENON_OP(Name);
#include "builder/ops/ops.def"
#undef OP

namespace {

using OnnxKey = std::pair<std::string, std::string>;  // domain, operator

struct Registry {
  std::vector<std::unique_ptr<OpDefinition>> owned;
  std::vector<const OpDefinition*> sorted;
  std::map<OnnxKey, std::map<int64_t, const Import*>> importers;  // by first opset

  void add(void (*define)(OpDefinition&)) {
    owned.push_back(std::make_unique<OpDefinition>());
    define(*owned.back());
  }

  Registry() {
#define OP(Name) add(define_##Name);
#include "builder/ops/ops.def"
#undef OP
    for (const auto& definition : owned) {
      sorted.push_back(definition.get());
      for (const auto& onnx : definition->onnx_names) {
        importers[{onnx.domain, onnx.name}][onnx.since] = &onnx.import;
      }
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const auto* a, const auto* b) { return a->name < b->name; });
  }
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

/// "ai.onnx" and "" are the same domain.
std::string normal_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string() : std::string(domain);
}

}  // namespace

const OpDefinition* find(std::string_view name) {
  const auto& sorted = registry().sorted;
  const auto position =
      std::lower_bound(sorted.begin(), sorted.end(), name,
                       [](const OpDefinition* a, std::string_view b) { return a->name < b; });
  return position != sorted.end() && (*position)->name == name ? *position : nullptr;
}

const std::vector<const OpDefinition*>& all() { return registry().sorted; }

Result<const Import*> find_import(std::string_view domain, std::string_view op_type,
                                  int64_t opset) {
  const auto& importers = registry().importers;
  const auto found = importers.find({normal_domain(domain), std::string(op_type)});
  if (found != importers.end()) {
    const auto after = found->second.upper_bound(opset);
    if (after != found->second.begin()) return std::prev(after)->second;
    return not_supported_yet(fmt::format("operator {} of opset {}; it is known from opset {} on",
                                         op_type, opset, found->second.begin()->first));
  }
  std::vector<std::string> names;
  for (const auto& [key, versions] : importers) {
    if (key.first == normal_domain(domain)) names.push_back(key.second);
  }
  std::string message = fmt::format("operator {}", op_type);
  if (!normal_domain(domain).empty()) message += fmt::format(" of domain {}", domain);
  const auto near = near_matches(op_type, names);
  if (!near.empty()) message += fmt::format("; near matches: {}", fmt::join(near, ", "));
  return not_supported_yet(message);
}

}  // namespace tenon::ops
