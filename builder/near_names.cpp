// SPDX-License-Identifier: Apache-2.0
#include "builder/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace tenon {
namespace {

/// Levenshtein distance, ignoring case.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i])) ==
                        std::tolower(static_cast<unsigned char>(b[j]));
      const size_t replaced = diagonal + (same ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& known) {
  const size_t limit = std::max<size_t>(2, name.size() / 3);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    if (distance <= limit) found.emplace_back(distance, candidate);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [distance, candidate] : found) {
    if (names.size() < 3) names.push_back(std::move(candidate));
  }
  return names;
}

std::string near_names_sentence(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string> near = near_names(name, known);
  if (!near.empty()) return fmt::format("did you mean {}?", fmt::join(near, ", "));
  return fmt::format("known: {}", fmt::join(known, ", "));
}

}  // namespace tenon
