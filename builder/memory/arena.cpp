// SPDX-License-Identifier: Apache-2.0
#include "builder/memory/arena.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tenon::memory {
namespace {

/// Comparisons of two buffers that planning may take, for each starting order.
constexpr int64_t kWork = 4'000'000;

int64_t rounded(const ArenaBuffer& buffer) {
  return (buffer.maximum_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool live_together(const ArenaBuffer& a, const ArenaBuffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

/// The start of the smallest gap that holds `size` among `busy` (sorted by start), or their end.
int64_t best_gap(const std::vector<std::pair<int64_t, int64_t>>& busy, int64_t size) {
  int64_t end = 0, best = -1, best_size = 0;
  for (const auto& [start, stop] : busy) {
    const int64_t gap = start - end;
    if (gap >= size && (best < 0 || gap < best_size)) {
      best = end;
      best_size = gap;
    }
    end = std::max(end, stop);
  }
  return best < 0 ? end : best;
}

/// Places the buffers in the given order; the offsets and the height.
int64_t place(const std::vector<ArenaBuffer>& buffers, const std::vector<int>& order,
              std::vector<int64_t>& offsets) {
  int64_t height = 0;
  std::vector<int> placed;
  for (int index : order) {
    std::vector<std::pair<int64_t, int64_t>> busy;
    for (int other : placed) {
      if (!live_together(buffers[index], buffers[other])) continue;
      busy.emplace_back(offsets[other], offsets[other] + rounded(buffers[other]));
    }
    std::sort(busy.begin(), busy.end());
    offsets[index] = best_gap(busy, rounded(buffers[index]));
    height = std::max(height, offsets[index] + rounded(buffers[index]));
    placed.push_back(index);
  }
  return height;
}

/// A placement of all buffers and its height.
struct Attempt {
  std::vector<int> order;
  std::vector<int64_t> offsets;
  int64_t height = 0;
};

Attempt attempt(const std::vector<ArenaBuffer>& buffers, std::vector<int> order) {
  Attempt result{std::move(order), std::vector<int64_t>(buffers.size()), 0};
  result.height = place(buffers, result.order, result.offsets);
  return result;
}

/// Orders that suit different graphs: wide ones the size, chains the time, long skips the area.
std::vector<std::vector<int>> starting_orders(const std::vector<ArenaBuffer>& buffers) {
  const auto steps = [&](int i) -> int64_t {
    return buffers[i].last_step - buffers[i].first_step + 1;
  };
  using Key = std::array<int64_t, 2>;
  const std::vector<std::function<Key(int)>> keys = {
      [&](int i) { return Key{-rounded(buffers[i]), -steps(i)}; },
      [&](int i) { return Key{buffers[i].first_step, -rounded(buffers[i])}; },
      [&](int i) { return Key{-steps(i), -rounded(buffers[i])}; },
      [&](int i) { return Key{-buffers[i].last_step, -rounded(buffers[i])}; },
  };
  std::vector<std::vector<int>> orders;
  for (const auto& key : keys) {
    std::vector<int> order(buffers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    orders.push_back(std::move(order));
  }
  return orders;
}

/// The buffer that reaches the top goes earlier, halfway to the front or to it: it finds room that
/// smaller ones took.
std::vector<int> promote_highest(const std::vector<ArenaBuffer>& buffers, const Attempt& attempt,
                                 int round) {
  std::vector<int> order = attempt.order;
  const auto highest = std::find_if(order.begin(), order.end(), [&](int i) {
    return attempt.offsets[i] + rounded(buffers[i]) == attempt.height;
  });
  const auto front = order.begin() + (round % 2 == 0 ? 0 : (highest - order.begin()) / 2);
  std::rotate(front, highest, highest + 1);
  return order;
}

/// The lowest of several placements. Rounds are fewer for large graphs, since one is quadratic.
Attempt best_attempt(const std::vector<ArenaBuffer>& buffers, int64_t lower_bound) {
  const auto count = static_cast<int64_t>(buffers.size());
  const int64_t rounds = std::clamp<int64_t>(kWork / std::max<int64_t>(count * count, 1), 4, 100);
  Attempt best;
  best.height = std::numeric_limits<int64_t>::max();
  for (std::vector<int>& order : starting_orders(buffers)) {
    Attempt next = attempt(buffers, std::move(order));
    for (int round = 0; round < rounds; ++round) {
      if (next.height < best.height) best = next;
      if (best.height == lower_bound) return best;
      next = attempt(buffers, promote_highest(buffers, next, round));
    }
  }
  return best;
}

}  // namespace

int64_t arena_lower_bound(const std::vector<ArenaBuffer>& buffers) {
  std::map<int, int64_t> change;
  for (const ArenaBuffer& buffer : buffers) {
    change[buffer.first_step] += rounded(buffer);
    change[buffer.last_step + 1] -= rounded(buffer);
  }
  int64_t live = 0, largest = 0;
  for (const auto& [step, difference] : change) {
    live += difference;
    largest = std::max(largest, live);
  }
  return largest;
}

ArenaPlan plan_arena(const std::vector<ArenaBuffer>& buffers) {
  ArenaPlan plan;
  plan.lower_bound = arena_lower_bound(buffers);
  const Attempt best = best_attempt(buffers, plan.lower_bound);
  const std::vector<int64_t>& offsets = best.offsets;
  plan.bytes = best.height;
  plan.placements.resize(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    Placement& placement = plan.placements[i];
    placement.offset = offsets[i];
    for (size_t j = 0; j < buffers.size(); ++j) {
      const bool under = offsets[j] + rounded(buffers[j]) <= offsets[i] && rounded(buffers[j]) > 0;
      if (i != j && under && live_together(buffers[i], buffers[j])) {
        placement.below.push_back(static_cast<int>(j));
      }
    }
  }
  return plan;
}

}  // namespace tenon::memory
