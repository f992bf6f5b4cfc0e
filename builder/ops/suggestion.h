// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::ops {

/// Names within an edit distance of a third of `name`, or that differ in case only; the nearest
/// first, at most three.
std::vector<std::string> near_matches(std::string_view name, const std::vector<std::string>& names);

}  // namespace tenon::ops
