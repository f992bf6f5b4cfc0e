// SPDX-License-Identifier: Apache-2.0
#include "tools/shape_argument.h"

#include <fmt/format.h>

#include <charconv>

namespace tenon::tools {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Status bad_shape(const std::string& argument, const std::string& reason) {
  return Status(
      ErrorCode::bad_argument,
      fmt::format("--shape {}: {}; write NAME=1x3x224x224 or NAME=MIN:OPT:MAX", argument, reason));
}

Result<ShapeRange> parse_range(const std::string& argument, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 1 && parts.size() != 3) {
    return bad_shape(argument, fmt::format("{} shapes, expected 1 or 3", parts.size()));
  }
  std::vector<std::vector<int64_t>> shapes;
  for (std::string_view part : parts) {
    Result<std::vector<int64_t>> dims = parse_dims(part);
    if (!dims.ok()) return bad_shape(argument, dims.status().message());
    shapes.push_back(*dims);
  }
  if (parts.size() == 1) return ShapeRange{shapes[0], shapes[0], shapes[0]};
  for (const auto& dims : shapes) {
    if (dims.size() != shapes[0].size()) {
      return bad_shape(argument, "the three shapes differ in rank");
    }
  }
  for (size_t axis = 0; axis < shapes[0].size(); ++axis) {
    if (shapes[0][axis] > shapes[1][axis] || shapes[1][axis] > shapes[2][axis]) {
      return bad_shape(argument, fmt::format("axis {} is {}:{}:{}, which does not rise", axis,
                                             shapes[0][axis], shapes[1][axis], shapes[2][axis]));
    }
  }
  return ShapeRange{shapes[0], shapes[1], shapes[2]};
}

}  // namespace

Result<std::pair<std::string, std::string>> split_argument(const std::string& argument,
                                                           std::string_view option,
                                                           std::string_view form) {
  const size_t equals = argument.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    return Status(ErrorCode::bad_argument,
                  fmt::format("{} {}: expected {}", option, argument, form));
  }
  return std::pair(argument.substr(0, equals), argument.substr(equals + 1));
}

Result<std::vector<int64_t>> parse_dims(std::string_view text) {
  std::vector<int64_t> dims;
  if (text.empty()) return dims;
  for (std::string_view part : split(text, 'x')) {
    int64_t dim = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), dim);
    if (error != std::errc() || end != part.data() + part.size() || dim < 0) {
      return Status(ErrorCode::bad_argument, fmt::format("\"{}\" is no size", part));
    }
    dims.push_back(dim);
  }
  return dims;
}

std::string dims_text(const std::vector<int64_t>& dims) {
  return fmt::format("{}", fmt::join(dims, "x"));
}

Result<ShapeProfile> parse_shape_profile(const std::vector<std::string>& arguments) {
  ShapeProfile profile;
  for (const std::string& argument : arguments) {
    TENON_ASSIGN(auto parts,
                 split_argument(argument, "--shape", "NAME=1x3x224x224 or NAME=MIN:OPT:MAX"));
    TENON_ASSIGN(ShapeRange range, parse_range(argument, parts.second));
    if (!profile.emplace(parts.first, std::move(range)).second) {
      return bad_shape(argument, fmt::format("input \"{}\" is given twice", parts.first));
    }
  }
  return profile;
}

Result<Shapes> parse_shapes(const std::vector<std::string>& arguments) {
  TENON_ASSIGN(ShapeProfile profile, parse_shape_profile(arguments));
  Shapes shapes;
  for (auto& [name, range] : profile) {
    if (range.minimum != range.maximum) {
      return Status(ErrorCode::bad_argument,
                    fmt::format("--shape: input \"{}\" needs one shape here, not a range", name));
    }
    shapes[name] = std::move(range.optimum);
  }
  return shapes;
}

}  // namespace tenon::tools
