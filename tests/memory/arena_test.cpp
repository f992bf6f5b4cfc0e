// SPDX-License-Identifier: Apache-2.0
#include "builder/memory/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenon::memory {
namespace {

constexpr uint32_t kSeed = 1;

int64_t round_up(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

ArenaBuffer buffer(int64_t bytes, int first, int last) {
  return {ir::Dim(bytes), bytes, first, last};
}

std::vector<ArenaBuffer> random_buffers(std::mt19937& random) {
  const int count = 1 + static_cast<int>(random() % 40),
            steps = 1 + static_cast<int>(random() % 30);
  std::vector<ArenaBuffer> buffers;
  for (int i = 0; i < count; ++i) {
    const int a = static_cast<int>(random() % steps);
    const int b = std::min(steps - 1, a + static_cast<int>(random() % 6));
    const int64_t bytes = random() % 8 == 0 ? 0 : 1 + static_cast<int64_t>(random() % 5000);
    buffers.push_back(buffer(bytes, a, b));
  }
  return buffers;
}

bool live_together(const ArenaBuffer& a, const ArenaBuffer& b) {
  for (int step = a.first_step; step <= a.last_step; ++step) {
    if (step >= b.first_step && step <= b.last_step) return true;
  }
  return false;
}

/// Names the first two buffers that share bytes while both are needed; empty when there are none.
std::string collision(const std::vector<ArenaBuffer>& buffers, const std::vector<int64_t>& offsets,
                      const std::vector<int64_t>& bytes) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (!live_together(buffers[i], buffers[j]) || bytes[i] == 0 || bytes[j] == 0) continue;
      if (offsets[i] < offsets[j] + bytes[j] && offsets[j] < offsets[i] + bytes[i]) {
        return "buffers " + std::to_string(j) + " and " + std::to_string(i);
      }
    }
  }
  return "";
}

/// The offsets for other sizes, by the rule of the plan.
std::vector<int64_t> offsets_for(const ArenaPlan& plan, const std::vector<int64_t>& bytes) {
  std::vector<int> order(bytes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return plan.placements[a].offset < plan.placements[b].offset;
  });
  std::vector<int64_t> offsets(bytes.size(), -1);
  for (int index : order) {
    offsets[index] = 0;
    for (int below : plan.placements[index].below) {
      EXPECT_GE(offsets[below], 0) << "a buffer below must come first in the order of offsets";
      offsets[index] = std::max(offsets[index], offsets[below] + round_up(bytes[below]));
    }
  }
  return offsets;
}

TEST(Arena, BuffersThatLiveTogetherNeverOverlap) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const std::vector<ArenaBuffer> buffers = random_buffers(random);
    const ArenaPlan plan = plan_arena(buffers);
    std::vector<int64_t> offsets, bytes;
    for (size_t i = 0; i < buffers.size(); ++i) {
      offsets.push_back(plan.placements[i].offset);
      bytes.push_back(buffers[i].maximum_bytes);
      EXPECT_EQ(offsets[i] % kAlignment, 0) << "round " << round;
      EXPECT_LE(offsets[i] + bytes[i], plan.bytes) << "round " << round;
    }
    EXPECT_EQ(collision(buffers, offsets, bytes), "") << "round " << round << ", seed " << kSeed;
  }
}

TEST(Arena, SmallerShapesNeverOverlapNorLeaveTheArena) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const std::vector<ArenaBuffer> buffers = random_buffers(random);
    const ArenaPlan plan = plan_arena(buffers);
    for (int shape = 0; shape < 5; ++shape) {
      std::vector<int64_t> bytes;
      for (const ArenaBuffer& each : buffers) {
        bytes.push_back(shape == 0 ? each.maximum_bytes
                                   : static_cast<int64_t>(random() % (each.maximum_bytes + 1)));
      }
      const std::vector<int64_t> offsets = offsets_for(plan, bytes);
      EXPECT_EQ(collision(buffers, offsets, bytes), "") << "round " << round << ", seed " << kSeed;
      for (size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_LE(offsets[i], plan.placements[i].offset) << "round " << round << ", buffer " << i;
        EXPECT_LE(offsets[i] + bytes[i], plan.bytes) << "round " << round << ", buffer " << i;
      }
    }
  }
}

TEST(Arena, LowerBoundIsTheLargestSumOverSteps) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 100; ++round) {
    const std::vector<ArenaBuffer> buffers = random_buffers(random);
    int64_t largest = 0;
    for (int step = 0; step < 30; ++step) {
      int64_t live = 0;
      for (const ArenaBuffer& each : buffers) {
        if (each.first_step <= step && step <= each.last_step) live += round_up(each.maximum_bytes);
      }
      largest = std::max(largest, live);
    }
    EXPECT_EQ(arena_lower_bound(buffers), largest) << "round " << round;
    const ArenaPlan plan = plan_arena(buffers);
    EXPECT_EQ(plan.lower_bound, largest) << "round " << round;
    EXPECT_GE(plan.bytes, largest) << "round " << round;
  }
}

TEST(Arena, IsDeterministic) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 20; ++round) {
    const std::vector<ArenaBuffer> buffers = random_buffers(random);
    const ArenaPlan first = plan_arena(buffers), second = plan_arena(buffers);
    for (size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(first.placements[i].offset, second.placements[i].offset);
      EXPECT_EQ(first.placements[i].below, second.placements[i].below);
    }
  }
}

TEST(Arena, NoBuffersNeedNoArena) {
  const ArenaPlan plan = plan_arena({});
  EXPECT_EQ(plan.bytes, 0);
  EXPECT_EQ(plan.lower_bound, 0);
  EXPECT_TRUE(plan.placements.empty());
}

TEST(Arena, ABufferOfNoBytesTakesNoRoom) {
  const ArenaPlan plan = plan_arena({buffer(0, 0, 3), buffer(100, 1, 2), buffer(0, 1, 1)});
  EXPECT_EQ(plan.bytes, 128);
}

/// A chain, each step reading the buffer before: sizes as the stages of networks have them.
std::vector<ArenaBuffer> chain(const std::vector<int64_t>& sizes) {
  std::vector<ArenaBuffer> buffers;
  for (size_t i = 0; i < sizes.size(); ++i) {
    buffers.push_back(buffer(sizes[i], static_cast<int>(i), static_cast<int>(i) + 1));
  }
  return buffers;
}

/// Blocks of three convolutions around a skip: 1x1 narrow, 3x3, 1x1 wide, sum.
std::vector<ArenaBuffer> residual_network(int64_t kilobytes) {
  std::vector<ArenaBuffer> buffers = {buffer(kilobytes << 12, 0, 1)};
  int step = 1;
  int64_t wide = kilobytes << 12;
  size_t input = 0;
  buffers.back().last_step = 1;
  for (int stage = 0; stage < 4; ++stage) {
    for (int block = 0; block < 3; ++block) {
      const int64_t narrow = wide / 4;
      buffers.push_back(buffer(narrow, step, step + 1));
      buffers.push_back(buffer(narrow + 64 * 37, step + 1, step + 2));
      buffers.push_back(buffer(narrow, step + 2, step + 3));
      buffers.push_back(buffer(wide, step + 3, step + 4));
      buffers[input].last_step = step + 3;
      input = buffers.size() - 1;
      step += 4;
    }
    wide /= 2;
  }
  return buffers;
}

/// Branches of different width that a concat joins.
std::vector<ArenaBuffer> inception(int64_t unit) {
  std::vector<ArenaBuffer> buffers = {buffer(8 * unit, 0, 7)};
  int step = 1;
  size_t input = 0;
  for (int block = 0; block < 6; ++block) {
    const int end = step + 7;
    buffers[input].last_step = step + 6;
    buffers.push_back(buffer(2 * unit, step, end));
    buffers.push_back(buffer(3 * unit, step + 1, step + 2));
    buffers.push_back(buffer(4 * unit, step + 2, end));
    buffers.push_back(buffer(unit, step + 3, step + 4));
    buffers.push_back(buffer(unit + 4096, step + 4, step + 5));
    buffers.push_back(buffer(unit, step + 5, end));
    buffers.push_back(buffer(8 * unit, step + 6, step + 6));
    buffers.push_back(buffer(unit, step + 6, end));
    buffers.push_back(buffer(8 * unit, end, end));
    input = buffers.size() - 1;
    step = end + 1;
  }
  return buffers;
}

/// An encoder whose every level is read again by the decoder.
std::vector<ArenaBuffer> skip_pyramid(int levels, int64_t largest) {
  std::vector<ArenaBuffer> buffers;
  const int last = 4 * levels;
  for (int level = 0; level < levels; ++level) {
    const int64_t size = largest >> level;
    buffers.push_back(buffer(size, 2 * level, 2 * level + 1));
    buffers.push_back(buffer(size, 2 * level + 1, last - 2 * level));
    buffers.push_back(buffer(size, last - 2 * level - 1, last - 2 * level));
    buffers.push_back(buffer(size, last - 2 * level, last - 2 * level + 1));
  }
  return buffers;
}

TEST(Arena, TypicalNetworksStayWithinFivePercentOfTheBound) {
  const struct {
    const char* name;
    std::vector<ArenaBuffer> buffers;
  } networks[] = {
      {"VGG-like chain",
       chain({12845056, 12845056, 3211264, 6422528, 6422528, 1605632, 3211264, 3211264, 802816,
              1605632, 1605632, 401408, 401408, 100352, 16384, 16384, 4000})},
      {"chain that narrows", chain({1000, 900, 800, 700, 600, 500, 400, 300, 200, 100})},
      {"chain that widens", chain({100, 200, 300, 400, 500, 600, 700, 800, 900, 1000})},
      {"chain that breathes", chain({9000, 100, 8000, 200, 7000, 300, 9500, 50, 9900, 10})},
      {"residual network", residual_network(784)},
      {"inception", inception(100 << 10)},
      {"skip pyramid", skip_pyramid(5, 1 << 22)},
  };
  for (const auto& network : networks) {
    const ArenaPlan plan = plan_arena(network.buffers);
    EXPECT_LE(static_cast<double>(plan.bytes), 1.05 * static_cast<double>(plan.lower_bound))
        << network.name << ": " << plan.bytes << " bytes for a bound of " << plan.lower_bound;
  }
}

TEST(Arena, RandomGraphsStayCloseToTheBoundOnAverage) {
  std::mt19937 random(kSeed);
  double sum = 0, worst = 1;
  int counted = 0;
  for (int round = 0; round < 100; ++round) {
    const ArenaPlan plan = plan_arena(random_buffers(random));
    if (plan.lower_bound == 0) continue;
    const double ratio = static_cast<double>(plan.bytes) / static_cast<double>(plan.lower_bound);
    sum += ratio;
    worst = std::max(worst, ratio);
    ++counted;
  }
  ASSERT_GT(counted, 90);
  RecordProperty("mean_ratio", std::to_string(sum / counted));
  RecordProperty("worst_ratio", std::to_string(worst));
  EXPECT_LE(sum / counted, 1.01) << "mean ratio to the lower bound";
}

}  // namespace
}  // namespace tenon::memory
