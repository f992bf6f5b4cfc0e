// SPDX-License-Identifier: Apache-2.0
#include "runtime/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/plan/container.h"

namespace tenon::runtime {
namespace {

constexpr uint64_t kPage = plan::kPageBytes;
constexpr std::byte kCanary{0xa5}, kPoison{0xff};
constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;

std::atomic<ArenaMode> mode_for_tests{ArenaMode::normal};

}  // namespace

void set_arena_mode_for_tests(ArenaMode mode) { mode_for_tests.store(mode); }
ArenaMode arena_mode() { return mode_for_tests.load(); }

SystemMemory::SystemMemory(SystemMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

SystemMemory& SystemMemory::operator=(SystemMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SystemMemory::~SystemMemory() {
  if (size_ != 0) munmap(data_, size_);
}

Result<SystemMemory> SystemMemory::allocate(uint64_t bytes, const char* purpose) {
  SystemMemory memory;
  if (bytes == 0) return memory;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    return Status(ErrorCode::out_of_memory,
                  "cannot allocate " + std::to_string(bytes) + " bytes for " + purpose);
  }
  if (bytes >= 2 * kHugePageBytes) madvise(data, bytes, MADV_HUGEPAGE);
  memory.data_ = static_cast<std::byte*>(data);
  memory.size_ = bytes;
  return memory;
}

Result<Arena> Arena::create(const plan::ProgramT& program, std::span<std::byte> supplied) {
  Arena arena;
  arena.program_ = &program;
  arena.mode_ = arena_mode();
  arena.ends_.resize(program.buffers.size());
  arena.placed_.resize(program.buffers.size());
  if (arena.mode_ == ArenaMode::guard) {
    arena.guarded_.resize(program.buffers.size());
    return arena;
  }
  if (arena.mode_ == ArenaMode::poison) {
    std::vector<size_t> last(program.buffers.size());
    for (size_t s = 0; s < program.steps.size(); ++s) {
      for (const plan::Argument& argument : program.steps[s]->arguments) {
        last[argument.buffer()] = s;
      }
    }
    arena.dying_.resize(program.steps.size());
    for (uint32_t b = 0; b < last.size() && !program.steps.empty(); ++b) {
      if (program.buffers[b]->kind == plan::BufferKind::arena) arena.dying_[last[b]].push_back(b);
    }
  }
  arena.memory_ = supplied;
  if (supplied.data() == nullptr) {
    TENON_ASSIGN(arena.owned_, SystemMemory::allocate(program.arena_bytes, "the arena"));
    arena.memory_ = {arena.owned_.data(), arena.owned_.size()};
  }
  return arena;
}

Status Arena::place(std::span<const int64_t> bytes, std::span<std::byte*> addresses) {
  if (mode_ == ArenaMode::guard) return place_guarded(bytes, addresses);
  for (size_t b = 0; b < bytes.size(); ++b) {
    const plan::BufferT& buffer = *program_->buffers[b];
    if (buffer.kind != plan::BufferKind::arena) continue;
    uint64_t offset = 0;
    for (const uint32_t under : buffer.below) offset = std::max(offset, ends_[under]);
    const auto size = static_cast<uint64_t>(bytes[b]);
    if (offset > memory_.size() || size > memory_.size() - offset) {
      return {ErrorCode::internal, "buffer " + std::to_string(b) + " of " + std::to_string(size) +
                                       " bytes does not fit into the arena at these shapes"};
    }
    ends_[b] = offset + plan::round_up(size, 64);
    addresses[b] = memory_.data() + offset;
    placed_[b] = {addresses[b], size};
  }
  return {};
}

Status Arena::place_guarded(std::span<const int64_t> bytes, std::span<std::byte*> addresses) {
  for (size_t b = 0; b < bytes.size(); ++b) {
    if (program_->buffers[b]->kind != plan::BufferKind::arena) continue;
    const auto size = static_cast<uint64_t>(bytes[b]);
    const uint64_t rounded = plan::round_up(size, 64);
    const uint64_t usable = std::max(plan::round_up(rounded, kPage), kPage);
    Guarded guarded;
    TENON_ASSIGN(guarded.memory, SystemMemory::allocate(usable + 2 * kPage, "a guarded buffer"));
    std::byte* const first = guarded.memory.data() + kPage;
    std::byte* const last = first + usable;
    mprotect(guarded.memory.data(), kPage, PROT_NONE);
    mprotect(last, kPage, PROT_NONE);
    addresses[b] = last - rounded;
    placed_[b] = {addresses[b], size};
    guarded.before = {first, addresses[b]};
    guarded.after = {addresses[b] + size, last};
    std::fill(guarded.before.begin(), guarded.before.end(), kCanary);
    std::fill(guarded.after.begin(), guarded.after.end(), kCanary);
    guarded_[b] = std::move(guarded);
  }
  return {};
}

void Arena::poison_all() {
  for (const auto& buffer : placed_) std::fill(buffer.begin(), buffer.end(), kPoison);
}

Status Arena::check_step(size_t step) {
  if (mode_ == ArenaMode::poison) {
    for (const uint32_t b : dying_[step]) std::fill(placed_[b].begin(), placed_[b].end(), kPoison);
    return {};
  }
  const auto intact = [](std::span<const std::byte> canary) {
    return std::all_of(canary.begin(), canary.end(), [](std::byte b) { return b == kCanary; });
  };
  for (const plan::Argument& argument : program_->steps[step]->arguments) {
    const uint32_t b = argument.buffer();
    if (!intact(guarded_[b].before) || !intact(guarded_[b].after)) {
      return {ErrorCode::internal,
              "it wrote " + std::string(intact(guarded_[b].after) ? "before" : "past the end of") +
                  " buffer " + std::to_string(b) + ", which has " +
                  std::to_string(placed_[b].size()) + " bytes"};
    }
  }
  return {};
}

}  // namespace tenon::runtime
