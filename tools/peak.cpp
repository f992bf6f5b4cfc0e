// SPDX-License-Identifier: Apache-2.0
#include "tools/peak.h"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace tenon::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kFmaRounds = 1 << 17;
constexpr int kChains = 12;  // enough independent sums to hide the latency of two units

/// Keeps a result alive without storing it.
template <typename Vector>
void consume(Vector& value) {
  asm volatile("" : "+x"(value));
}
template <typename Vector>
__attribute__((target("avx512f"))) void consume_wide(Vector& value) {
  asm volatile("" : "+v"(value));
}

// Written as instructions, so that no compiler keeps a sum in memory or sees that nobody reads it.
#define TENON_CHAIN(width, n) "vfmadd231ps %%" width "12, %%" width "12, %%" width #n "\n\t"
#define TENON_CHAINS(width)                                                                   \
  TENON_CHAIN(width, 0)                                                                       \
  TENON_CHAIN(width, 1) TENON_CHAIN(width, 2) TENON_CHAIN(width, 3) TENON_CHAIN(width, 4)     \
      TENON_CHAIN(width, 5) TENON_CHAIN(width, 6) TENON_CHAIN(width, 7) TENON_CHAIN(width, 8) \
          TENON_CHAIN(width, 9) TENON_CHAIN(width, 10) TENON_CHAIN(width, 11)
#define TENON_SUMS                                                                         \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12"

__attribute__((target("avx512f"))) double multiply_add_512() {
  const float half = 0.5F;
  int64_t rounds = kFmaRounds;
  asm volatile(
      "vzeroall\n\t"
      "vbroadcastss %[half], %%zmm12\n\t"
      "1:\n\t" TENON_CHAINS("zmm") "dec %[rounds]\n\t"
      "jnz 1b\n\t"
      "vzeroupper"
      : [rounds] "+r"(rounds)
      : [half] "m"(half)
      : "cc", TENON_SUMS);
  return 2.0 * 16 * kChains * kFmaRounds;
}

__attribute__((target("avx2,fma"))) double multiply_add_256() {
  const float half = 0.5F;
  int64_t rounds = kFmaRounds;
  asm volatile(
      "vzeroall\n\t"
      "vbroadcastss %[half], %%ymm12\n\t"
      "1:\n\t" TENON_CHAINS("ymm") "dec %[rounds]\n\t"
      "jnz 1b\n\t"
      "vzeroupper"
      : [rounds] "+r"(rounds)
      : [half] "m"(half)
      : "cc", TENON_SUMS);
  return 2.0 * 8 * kChains * kFmaRounds;
}

__attribute__((target("avx512f"))) void read_512(const float* data, size_t count) {
  __m512 sums[4] = {};
  for (size_t i = 0; i + 64 <= count; i += 64) {
#pragma GCC unroll 4
    for (size_t c = 0; c < 4; ++c)
      sums[c] = _mm512_add_ps(sums[c], _mm512_loadu_ps(data + i + 16 * c));
  }
  for (auto& sum : sums) consume_wide(sum);
}

__attribute__((target("avx2"))) void read_256(const float* data, size_t count) {
  __m256 sums[4] = {};
  for (size_t i = 0; i + 32 <= count; i += 32) {
#pragma GCC unroll 4
    for (size_t c = 0; c < 4; ++c)
      sums[c] = _mm256_add_ps(sums[c], _mm256_loadu_ps(data + i + 8 * c));
  }
  for (auto& sum : sums) consume(sum);
}

double multiply_add() {
  return __builtin_cpu_supports("avx512f") ? multiply_add_512() : multiply_add_256();
}

double read(const std::vector<float>& data) {
  if (__builtin_cpu_supports("avx512f")) {
    read_512(data.data(), data.size());
  } else {
    read_256(data.data(), data.size());
  }
  return static_cast<double>(data.size() * sizeof(float));
}

/// The best rate of several rounds in which all threads work at once. `work(thread)` gives what it
/// did.
double best_rate(uint32_t threads, const std::function<double(uint32_t)>& work) {
  constexpr int kRounds = 30;
  std::barrier<> barrier(threads);
  std::vector<double> amounts(threads);
  double best = 0;
  const auto run = [&](uint32_t thread) {
    work(thread);
    for (int round = 0; round < kRounds; ++round) {
      barrier.arrive_and_wait();
      const auto start = Clock::now();
      amounts[thread] = work(thread);
      barrier.arrive_and_wait();
      if (thread != 0) continue;
      double sum = 0;
      for (double amount : amounts) sum += amount;
      best = std::max(best, sum / std::chrono::duration<double>(Clock::now() - start).count());
    }
  };
  std::vector<std::thread> others;
  for (uint32_t thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& other : others) other.join();
  return best;
}

}  // namespace

MachinePeak measure_peak(uint32_t threads) {
  MachinePeak peak;
  peak.flops_per_second = best_rate(threads, [](uint32_t) { return multiply_add(); });
  constexpr size_t kCacheFloats = (256 << 10) / sizeof(float);
  constexpr size_t kMemoryFloats = (128 << 20) / sizeof(float);
  constexpr int kRepeats = 32;
  std::vector<std::vector<float>> buffers(threads, std::vector<float>(kCacheFloats, 1.0F));
  peak.cache_bytes_per_second = best_rate(threads, [&](uint32_t thread) {
    double bytes = 0;
    for (int i = 0; i < kRepeats; ++i) bytes += read(buffers[thread]);
    return bytes;
  });
  for (auto& buffer : buffers) buffer.assign(kMemoryFloats / threads, 1.0F);
  peak.memory_bytes_per_second =
      best_rate(threads, [&](uint32_t thread) { return read(buffers[thread]); });
  return peak;
}

}  // namespace tenon::tools
