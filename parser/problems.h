// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/parser.h>
#include <tenon/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::parser {

/// What is wrong with a model, all of it.
class Problems {
 public:
  /// About the model as a whole, an input or an output.
  void add(Status reason);
  /// About a node: its position in the file, its name, and its operator as in "Conv-11".
  void add(int64_t node_index, std::string node_name, std::string op, Status reason);

  bool empty() const { return problems_.empty(); }
  const std::vector<ModelProblem>& all() const { return problems_; }
  /// One error that lists them. `node_count` is that of the model.
  Status summary(int64_t node_count) const;

 private:
  std::vector<ModelProblem> problems_;
};

/// "Conv-11", "com.acme::MyNms-1"
std::string operator_label(std::string_view domain, std::string_view op_type, int64_t opset);

}  // namespace tenon::parser
