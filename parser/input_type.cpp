// SPDX-License-Identifier: Apache-2.0
#include "parser/input_type.h"

#include "parser/tensor.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tenon::parser {
namespace {

using tenon_onnx::TypeProto;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// An identifier that resembles the text and is no function of dim expressions.
std::string identifier(const std::string& text) {
  std::string name;
  for (const char c : text) name.push_back(is_letter(c) || is_digit(c) ? c : '_');
  constexpr std::array<std::string_view, 6> kFunctions = {"floor_div", "ceil_div", "mod",
                                                          "min",       "max",      "where"};
  if (name.empty() || is_digit(name[0])) name.insert(name.begin(), '_');
  if (std::find(kFunctions.begin(), kFunctions.end(), name) != kFunctions.end()) name += '_';
  return name;
}

Status unsupported(const char* what) {
  return Status(ErrorCode::unsupported, fmt::format("not supported yet: {}", what));
}

Status check_kind(const tenon_onnx::ValueInfoProto& input) {
  switch (input.type().value_case()) {
    case TypeProto::kTensorType:
      break;
    case TypeProto::kSequenceType:
      return unsupported("sequences as inputs");
    case TypeProto::kMapType:
      return unsupported("maps as inputs");
    case TypeProto::kOptionalType:
      return unsupported("optional inputs");
    case TypeProto::kSparseTensorType:
      return unsupported("sparse tensors as inputs");
    case TypeProto::kOpaqueType:
      return unsupported("opaque types as inputs");
    case TypeProto::VALUE_NOT_SET:
      return Status(ErrorCode::invalid_model, "it has no type");
  }
  if (!input.type().tensor_type().has_shape()) {
    return Status(ErrorCode::unsupported,
                  "not supported yet: inputs of unknown rank; give it a shape in the model, with "
                  "names for the dims that vary");
  }
  return {};
}

}  // namespace

const std::string& SymbolNames::of(const std::string& dim_param) {
  const auto found = by_text_.find(dim_param);
  if (found != by_text_.end()) return found->second;
  return by_text_[dim_param] = fresh(dim_param);
}

std::string SymbolNames::fresh(const std::string& stem) {
  const std::string name = identifier(stem);
  std::string candidate = name;
  for (int i = 2; !taken_.insert(candidate).second; ++i) candidate = fmt::format("{}_{}", name, i);
  return candidate;
}

Result<InputType> read_input_type(const tenon_onnx::ValueInfoProto& input, SymbolNames& symbols) {
  TENON_RETURN_IF_ERROR(check_kind(input));
  InputType result;
  TENON_ASSIGN(result.type, element_type(input.type().tensor_type().elem_type()));
  // Before anything that grows with the rank, even a message.
  constexpr int kMaximumRank = 1000;
  const int rank = input.type().tensor_type().shape().dim_size();
  if (rank > kMaximumRank) {
    return Status(ErrorCode::unsupported, fmt::format("not supported yet: tensors of rank {}", rank));
  }
  std::vector<int64_t> sizes;
  for (const auto& dim : input.type().tensor_type().shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0) {
      result.dims.emplace_back(static_cast<int64_t>(dim.dim_value()));
      sizes.push_back(dim.dim_value());
    } else if (!dim.dim_param().empty()) {
      result.dims.emplace_back(symbols.of(dim.dim_param()));
    } else {
      result.dims.emplace_back(
          symbols.fresh(fmt::format("{}_dim{}", input.name(), result.dims.size())));
    }
  }
  if (!checked_element_count(sizes)) {
    return Status(ErrorCode::invalid_model,
                  "its dims are not possible: " + describe(result.type, sizes));
  }
  return result;
}

}  // namespace tenon::parser
