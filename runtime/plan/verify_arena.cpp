// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "runtime/plan/container.h"
#include "runtime/plan/verify.h"

namespace tenon::plan {
namespace {

Status corrupt(size_t buffer, const std::string& what) {
  return {ErrorCode::corrupt_plan, "buffer " + std::to_string(buffer) + " " + what};
}

// The first and last step that use a buffer.
struct Lifetime {
  size_t first = std::numeric_limits<size_t>::max(), last = 0;
};

std::vector<Lifetime> lifetimes(const ProgramT& program) {
  std::vector<Lifetime> lives(program.buffers.size());
  for (size_t s = 0; s < program.steps.size(); ++s) {
    for (const Argument& argument : program.steps[s]->arguments) {
      Lifetime& life = lives[argument.buffer()];
      life.first = std::min(life.first, s);
      life.last = s;
    }
  }
  return lives;
}

// Which buffers lie under which by the `below` lists, directly or through others.
class Order {
 public:
  explicit Order(const ProgramT& program)
      : words_((program.buffers.size() + 63) / 64), bits_(program.buffers.size() * words_) {
    for (size_t b = 0; b < program.buffers.size(); ++b) {
      for (const uint32_t under : program.buffers[b]->below) {
        for (size_t w = 0; w <= under / 64; ++w) bits_[b * words_ + w] |= bits_[under * words_ + w];
        bits_[b * words_ + under / 64] |= uint64_t{1} << (under % 64);
      }
    }
  }
  bool is_below(size_t under, size_t over) const {
    return bits_[over * words_ + under / 64] >> (under % 64) & 1;
  }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

// The square of this many bits is 32 MiB, more than a load may spend on a check.
constexpr size_t kLargestOrder = 16384;

Status verify_disjoint(const ProgramT& program, std::span<const int64_t> bytes) {
  const std::vector<Lifetime> lives = lifetimes(program);
  std::vector<size_t> by_first;
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const bool used = lives[b].first <= lives[b].last;
    if (used && program.buffers[b]->kind == BufferKind::arena && bytes[b] > 0)
      by_first.push_back(b);
  }
  std::stable_sort(by_first.begin(), by_first.end(),
                   [&](size_t a, size_t b) { return lives[a].first < lives[b].first; });
  const bool ordered = program.buffers.size() <= kLargestOrder;
  const Order order(ordered ? program : ProgramT());
  std::vector<size_t> live;
  for (const size_t b : by_first) {
    std::erase_if(live, [&](size_t other) { return lives[other].last < lives[b].first; });
    for (const size_t other : live) {
      const uint64_t begin = program.buffers[b]->offset;
      const uint64_t other_begin = program.buffers[other]->offset;
      if (begin < other_begin + static_cast<uint64_t>(bytes[other]) &&
          other_begin < begin + static_cast<uint64_t>(bytes[b])) {
        return corrupt(b, "overlaps buffer " + std::to_string(other));
      }
      // Disjoint at the maximum only: for smaller shapes one must be placed on top of the other.
      if (ordered && !order.is_below(std::min(b, other), std::max(b, other))) {
        return corrupt(b, "may overlap buffer " + std::to_string(other) +
                              " at other shapes: neither is placed below the other");
      }
    }
    live.push_back(b);
  }
  return {};
}

}  // namespace

Status verify_arena(const ProgramT& program, std::span<const int64_t> bytes) {
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const BufferT& buffer = *program.buffers[b];
    if (buffer.kind != BufferKind::arena) {
      if (!buffer.below.empty()) return corrupt(b, "is not in the arena but placed above others");
      continue;
    }
    uint64_t offset = 0;
    for (const uint32_t under : buffer.below) {
      if (under >= b || program.buffers[under]->kind != BufferKind::arena) {
        return corrupt(b, "is placed above buffer " + std::to_string(under) +
                              ", which is not an earlier one of the arena");
      }
      offset = std::max(offset, program.buffers[under]->offset +
                                    round_up(static_cast<uint64_t>(bytes[under]), 64));
    }
    if (buffer.offset != offset) {
      return corrupt(b, "lies at " + std::to_string(buffer.offset) + " of the arena instead of " +
                            std::to_string(offset));
    }
    if (offset > program.arena_bytes ||
        static_cast<uint64_t>(bytes[b]) > program.arena_bytes - offset) {
      return corrupt(b, "ends outside the arena");
    }
  }
  return verify_disjoint(program, bytes);
}

}  // namespace tenon::plan
