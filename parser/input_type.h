// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parser/onnx.pb.h"

#include <tenon/network.h>
#include <tenon/status.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tenon::parser {

/// Turns names of dims in a model, which may be any text, into symbols: different names stay
/// different.
class SymbolNames {
 public:
  /// The symbol of a dim_param; the same one for the same text.
  const std::string& of(const std::string& dim_param);
  /// A symbol that nothing else has, made from `stem`.
  std::string fresh(const std::string& stem);

 private:
  std::map<std::string, std::string> by_text_;
  std::set<std::string> taken_;
};

struct InputType {
  DataType type = DataType::f32;
  std::vector<InputDim> dims;
};

/// Type and dims of a graph input. A dim without a size becomes a symbol "<input>_dim<axis>". Call
/// `SymbolNames::of` for the names in all inputs before, so that such a symbol takes no name of the
/// model.
Result<InputType> read_input_type(const tenon_onnx::ValueInfoProto& input, SymbolNames& symbols);

}  // namespace tenon::parser
