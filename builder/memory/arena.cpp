// SPDX-License-Identifier: Apache-2.0
#include "builder/memory/arena.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tenon::memory {
namespace {

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
  std::vector<int> by_size(buffers.size()), by_time(buffers.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  by_time = by_size;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](int a, int b) { return rounded(buffers[a]) > rounded(buffers[b]); });
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](int a, int b) { return buffers[a].first_step < buffers[b].first_step; });
  // No order is best for all graphs: chains favour the order of time, wide graphs the order of size.
  std::vector<int64_t> offsets(buffers.size()), other(buffers.size());
  plan.bytes = place(buffers, by_size, offsets);
  const int64_t bytes_by_time = place(buffers, by_time, other);
  if (bytes_by_time < plan.bytes) {
    plan.bytes = bytes_by_time;
    offsets = other;
  }
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
