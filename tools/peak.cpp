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

__attribute__((target("avx512f"))) double multiply_add_512() {
  __m512 sums[kChains];
  for (auto& sum : sums) sum = _mm512_set1_ps(1.0F);
  const __m512 factor = _mm512_set1_ps(0.5F);
  for (int64_t i = 0; i < kFmaRounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
      sums[c] = _mm512_fmadd_ps(sums[c], factor, factor);
      consume_wide(sums[c]);
    }
  }
  return 2.0 * 16 * kChains * kFmaRounds;
}

__attribute__((target("avx2,fma"))) double multiply_add_256() {
  __m256 sums[kChains];
  for (auto& sum : sums) sum = _mm256_set1_ps(1.0F);
  const __m256 factor = _mm256_set1_ps(0.5F);
  for (int64_t i = 0; i < kFmaRounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
      sums[c] = _mm256_fmadd_ps(sums[c], factor, factor);
      consume(sums[c]);
    }
  }
  return 2.0 * 8 * kChains * kFmaRounds;
}

double multiply_add_128() {
  __m128 sums[kChains];
  for (auto& sum : sums) sum = _mm_set1_ps(1.0F);
  const __m128 factor = _mm_set1_ps(0.5F);
  for (int64_t i = 0; i < kFmaRounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
      sums[c] = _mm_add_ps(_mm_mul_ps(sums[c], factor), factor);
      consume(sums[c]);
    }
  }
  return 2.0 * 4 * kChains * kFmaRounds;
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

void read_128(const float* data, size_t count) {
  __m128 sums[4] = {};
  for (size_t i = 0; i + 16 <= count; i += 16) {
#pragma GCC unroll 4
    for (size_t c = 0; c < 4; ++c) sums[c] = _mm_add_ps(sums[c], _mm_loadu_ps(data + i + 4 * c));
  }
  for (auto& sum : sums) consume(sum);
}

double multiply_add() {
  if (__builtin_cpu_supports("avx512f")) return multiply_add_512();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return multiply_add_256();
  return multiply_add_128();
}

double read(const std::vector<float>& data) {
  if (__builtin_cpu_supports("avx512f")) {
    read_512(data.data(), data.size());
  } else if (__builtin_cpu_supports("avx2")) {
    read_256(data.data(), data.size());
  } else {
    read_128(data.data(), data.size());
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
