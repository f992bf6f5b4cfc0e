// SPDX-License-Identifier: Apache-2.0
// Reads `--shape NAME=1x3x224x224` and `--shape NAME=MIN:OPT:MAX`. Names may hold ':', '/' and '='.
#pragma once

#include <tenon/builder.h>
#include <tenon/status.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::tools {

/// Splits NAME=VALUE at the last '='; `form` is shown when there is none.
Result<std::pair<std::string, std::string>> split_argument(const std::string& argument,
                                                           std::string_view option,
                                                           std::string_view form);
/// "1x3x224x224"; nothing at all is a scalar.
Result<std::vector<int64_t>> parse_dims(std::string_view text);
std::string dims_text(const std::vector<int64_t>& dims);

/// For a build: each argument one input.
Result<ShapeProfile> parse_shape_profile(const std::vector<std::string>& arguments);

/// For a run: one shape for each input, no ranges.
using Shapes = std::map<std::string, std::vector<int64_t>>;
Result<Shapes> parse_shapes(const std::vector<std::string>& arguments);

}  // namespace tenon::tools
