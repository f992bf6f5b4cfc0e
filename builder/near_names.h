// SPDX-License-Identifier: Apache-2.0
// Suggestions for a name that does not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Names of `known` at a small edit distance from `name`, nearest first, at most three.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known);

/// "did you mean a, b?", or "known: ..." when nothing is near.
std::string near_names_sentence(std::string_view name, const std::vector<std::string>& known);

}  // namespace tenon
