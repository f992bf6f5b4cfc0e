// SPDX-License-Identifier: Apache-2.0
#include "parser/problems.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace tenon::parser {

void Problems::add(Status reason) { add(-1, "", "", std::move(reason)); }

void Problems::add(int64_t node_index, std::string node_name, std::string op, Status reason) {
  problems_.push_back({node_index, std::move(node_name), std::move(op), std::move(reason)});
}

Status Problems::summary(int64_t node_count) const {
  if (problems_.empty()) return {};
  const bool all_nodes = std::all_of(problems_.begin(), problems_.end(),
                                     [](const ModelProblem& p) { return p.node_index >= 0; });
  // A model that is wrong stays wrong when Tenon learns what it lacks, so that code goes first.
  const auto worst = std::find_if(problems_.begin(), problems_.end(), [](const ModelProblem& p) {
    return p.reason.code() != ErrorCode::unsupported;
  });
  const ErrorCode code = worst == problems_.end() ? ErrorCode::unsupported : worst->reason.code();
  if (problems_.size() == 1 && !all_nodes) return problems_.front().reason;

  std::string message;
  if (all_nodes) {
    std::set<int64_t> nodes;
    for (const ModelProblem& problem : problems_) nodes.insert(problem.node_index);
    message = fmt::format("{} of {} nodes:", nodes.size(), node_count);
  } else {
    message = fmt::format("{} problems:", problems_.size());
  }
  for (const ModelProblem& problem : problems_) {
    message += "\n  ";
    if (problem.node_index >= 0) {
      message += fmt::format("node {} \"{}\" {}: ", problem.node_index, problem.node_name,
                             problem.op_type);
    }
    message += problem.reason.message();
  }
  return Status(code, message);
}

std::string operator_label(std::string_view domain, std::string_view op_type, int64_t opset) {
  return domain.empty() ? fmt::format("{}-{}", op_type, opset)
                        : fmt::format("{}::{}-{}", domain, op_type, opset);
}

}  // namespace tenon::parser
