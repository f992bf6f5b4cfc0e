// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/suggestion.h"

#include <algorithm>
#include <cctype>

namespace tenon::ops {
namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> near_matches(std::string_view name,
                                      const std::vector<std::string>& names) {
  // Names of a model are untrusted: a very long one is like none of ours.
  if (name.size() > 100) return {};
  const std::string wanted = lower_case(name);
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const auto& candidate : names) {
    const size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance <= std::max<size_t>(1, wanted.size() / 3))
      ranked.emplace_back(distance, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > 3) ranked.resize(3);
  std::vector<std::string> result;
  for (auto& entry : ranked) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace tenon::ops
