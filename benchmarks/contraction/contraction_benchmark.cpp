// SPDX-License-Identifier: Apache-2.0
// Contractions of well-known shapes against a loop of multiply-adds that is timed beside them:
//   tenon_contraction_benchmark [--threads N] [--filter TEXT] [--target cpu:native] [--all]
// Prints the best schedule of each shape and its share of the peak; with --all every schedule.
#include "builder/codegen/cpu/generate.h"
#include "builder/loop/contraction.h"
#include "builder/loop/rewrite.h"
#include "tests/contraction/kernel_runner.h"
#include "tests/contraction/kernels.h"

#include <fmt/core.h>

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace tenon::benchmark {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Options {
  int threads = 1;
  std::string filter, target = "cpu:native";
  bool all = false;
};

struct Shape {
  std::string name;
  loop::Kernel kernel;
};

Shape matrices(int64_t m, int64_t n, int64_t k) {
  test::ProductShape shape;
  shape.m = m;
  shape.n = n;
  shape.k = k;
  shape.epilogue = test::Epilogue::bias_relu;
  return {fmt::format("product {}x{}x{}", m, n, k), test::product(shape)};
}

Shape image(int64_t size, int64_t ic, int64_t oc, int64_t taps, int64_t stride = 1,
            int64_t groups = 1) {
  test::ConvolutionShape shape;
  shape.oh = shape.ow = size;
  shape.ic = ic;
  shape.oc = oc;
  shape.kh = shape.kw = taps;
  shape.stride = stride;
  shape.groups = groups;
  shape.epilogue = test::Epilogue::bias_relu;
  return {fmt::format("{}x{} conv {}x{} {}->{} stride {} groups {}", taps, taps, size, size, ic, oc,
                      stride, groups),
          test::convolution(shape)};
}

std::vector<Shape> shapes() {
  return {matrices(512, 512, 512),     matrices(1024, 1024, 1024), matrices(128, 3072, 768),
          matrices(128, 768, 3072),    matrices(1, 4096, 4096),    matrices(1, 1000, 2048),
          matrices(8, 1024, 1024),     matrices(49, 2048, 512),    image(56, 64, 64, 3),
          image(28, 128, 128, 3),      image(14, 256, 256, 3),     image(7, 512, 512, 3),
          image(112, 3, 64, 7, 2),     image(56, 64, 256, 1),      image(56, 256, 64, 1),
          image(28, 512, 128, 1),      image(14, 1024, 256, 1),    image(7, 512, 2048, 1),
          image(28, 256, 256, 3, 2),   image(224, 64, 64, 3),      image(56, 128, 128, 3, 1, 32),
          image(28, 256, 256, 3, 1, 4)};
}

class Runner {
 public:
  Runner(const loop::Kernel& kernel, codegen::GeneratedKernel generated)
      : loaded_(std::move(generated), {}) {
    std::mt19937 random(1);
    for (const loop::Buffer& buffer : kernel.buffers) {
      const int64_t elements =
          test::evaluate(ir::physical_elements(buffer.type.layout, buffer.type.shape), {});
      storage_.emplace_back(static_cast<size_t>(elements) + 32);
      for (float& value : storage_.back()) {
        value = static_cast<float>(random() % 1000) / 1000.0f - 0.5f;
      }
      const auto address = reinterpret_cast<uintptr_t>(storage_.back().data());
      float* aligned = storage_.back().data() + (64 - address % 64) % 64 / sizeof(float);
      buffers_.push_back(std::as_writable_bytes(std::span(aligned, static_cast<size_t>(elements))));
    }
  }

  void run(int64_t begin, int64_t end) const { (void)loaded_.run(buffers_, begin, end); }
  int64_t grid() const { return loaded_.grid(); }
  int64_t grain() const { return loaded_.generated().grain; }
  size_t code_bytes() const { return loaded_.generated().code.size(); }

 private:
  test::LoadedKernel loaded_;
  std::vector<std::vector<float>> storage_;
  std::vector<std::span<std::byte>> buffers_;
};

/// Threads that spin for work, as the runtime's pool does within a run.
class Team {
 public:
  explicit Team(int threads) {
    for (int number = 1; number < threads; ++number) {
      workers_.emplace_back([this] { work(); });
    }
  }
  ~Team() {
    stop_ = true;
    generation_.fetch_add(1);
    for (std::thread& worker : workers_) worker.join();
  }

  void run(const Runner& runner) {
    if (workers_.empty()) return runner.run(0, runner.grid());
    runner_ = &runner;
    next_ = 0;
    active_ = static_cast<int>(workers_.size());
    generation_.fetch_add(1);
    share();
    while (active_.load() != 0) __builtin_ia32_pause();
  }

 private:
  void share() {
    const int64_t grid = runner_->grid();
    const int64_t chunk =
        std::clamp<int64_t>(grid / static_cast<int64_t>(4 * (workers_.size() + 1)), 1,
                            std::max<int64_t>(runner_->grain(), 1));
    for (int64_t begin = next_.fetch_add(chunk); begin < grid; begin = next_.fetch_add(chunk)) {
      runner_->run(begin, std::min(begin + chunk, grid));
    }
  }
  void work() {
    for (int seen = 0;;) {
      while (generation_.load() == seen) __builtin_ia32_pause();
      ++seen;
      if (stop_) return;
      share();
      active_.fetch_sub(1);
    }
  }

  const Runner* runner_ = nullptr;
  std::atomic<int64_t> next_{0};
  std::atomic<int> active_{0}, generation_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> workers_;
};

/// Best time of one run among short rounds.
double time_of(Team& team, const Runner& runner) {
  team.run(runner);
  double best = 1e30;
  const auto start = Clock::now();
  for (int round = 0; round < 20 && (round < 3 || seconds_since(start) < 0.15); ++round) {
    const auto begin = Clock::now();
    int runs = 0;
    do {
      team.run(runner);
      ++runs;
    } while (seconds_since(begin) < 0.004);
    best = std::min(best, seconds_since(begin) / runs);
  }
  return best;
}

double multiply_adds(const loop::Kernel& kernel) {
  double count = 1;
  for (const loop::Axis& axis : kernel.axes) count *= static_cast<double>(axis.extent.constant());
  return count;
}

constexpr int kChains = 12;
constexpr int kPeakSteps = 200000;

/// Multiply-adds on registers only: the most that a core does. Give the sum, so that none is left
/// out.
__attribute__((target("avx512f"))) float wide_loop() {
  __m512 sums[kChains] = {};
  const __m512 factor = _mm512_set1_ps(0.999f);
  for (int step = 0; step < kPeakSteps; ++step) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, factor);
  }
  __m512 total = sums[0];
  for (const __m512& sum : sums) total = _mm512_add_ps(total, sum);
  float result = 0;
  for (int lane = 0; lane < 16; ++lane) result += total[lane];
  return result;
}

__attribute__((target("avx2,fma"))) float narrow_loop() {
  __m256 sums[kChains] = {};
  const __m256 factor = _mm256_set1_ps(0.999f);
  for (int step = 0; step < kPeakSteps; ++step) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, factor);
  }
  float result = 0;
  for (const __m256& sum : sums) result += sum[0];
  return result;
}

/// Multiply-adds per second of all threads together.
double peak(int threads, bool wide) {
  std::atomic<float> sink{0};
  std::vector<double> rates(static_cast<size_t>(threads));
  const auto measure = [&](size_t number) {
    for (int round = 0; round < 10; ++round) {
      const auto start = Clock::now();
      sink = wide ? wide_loop() : narrow_loop();
      const double work = static_cast<double>(kChains) * (wide ? 16 : 8) * kPeakSteps;
      rates[number] = std::max(rates[number], work / seconds_since(start));
    }
  };
  std::vector<std::thread> others;
  for (int number = 1; number < threads; ++number) {
    others.emplace_back(measure, static_cast<size_t>(number));
  }
  measure(0);
  for (std::thread& other : others) other.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

int run(const Options& options) {
  auto target = codegen::parse_target(options.target);
  if (!target) {
    fmt::print(stderr, "{}\n", target.status().to_string());
    return 1;
  }
  Team team(options.threads);
  const double ceiling = peak(options.threads, target->unit.bits == 512);
  fmt::print("peak {:.1f} GFLOP/s on {} thread(s), {}\n", 2 * ceiling / 1e9, options.threads,
             target->description());
  for (Shape& shape : shapes()) {
    if (shape.name.find(options.filter) == std::string::npos) continue;
    loop::split_group_axes(shape.kernel);
    loop::collapse_axes(shape.kernel);
    auto roles = loop::match_contraction(shape.kernel);
    if (!roles) {
      fmt::print("{}: {}\n", shape.name, roles.status().to_string());
      continue;
    }
    double best = 1e30;
    std::string report;
    int number = 0;
    for (const loop::Schedule& schedule :
         loop::contraction_schedules(shape.kernel, *roles, target->unit)) {
      loop::Kernel kernel = shape.kernel;
      Status status;
      if (schedule.packed) {
        status = loop::pack_constant_operand(kernel, *roles, schedule.vector_elements);
      }
      const auto start = Clock::now();
      auto generated = status.ok() ? codegen::generate(kernel, schedule, *target)
                                   : Result<codegen::GeneratedKernel>(status);
      const double compile = seconds_since(start);
      if (!generated) {
        fmt::print("{}: {}\n", shape.name, generated.status().to_string());
        continue;
      }
      const Runner runner(kernel, std::move(*generated));
      const double time = time_of(team, runner);
      const double work = multiply_adds(kernel);
      const std::string line = fmt::format(
          "{:<38} {:>9.1f} us {:>7.1f} GFLOP/s {:>5.1f} %  #{} {} ({} items, {} bytes, {:.0f} ms)",
          shape.name, time * 1e6, 2 * work / time / 1e9, 100 * work / time / ceiling, number,
          to_string(schedule), runner.grid(), runner.code_bytes(), compile * 1e3);
      if (options.all) fmt::print("{}\n", line);
      if (time < best) {
        best = time;
        report = line;
      }
      ++number;
    }
    if (!options.all) fmt::print("{}\n", report);
  }
  return 0;
}

}  // namespace

}  // namespace tenon::benchmark

int main(int argc, char** argv) {
  tenon::benchmark::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--all") {
      options.all = true;
    } else if (i + 1 < argc && argument == "--threads") {
      options.threads = std::max(1, std::atoi(argv[++i]));
    } else if (i + 1 < argc && argument == "--filter") {
      options.filter = argv[++i];
    } else if (i + 1 < argc && argument == "--target") {
      options.target = argv[++i];
    } else {
      fmt::print(stderr, "usage: [--threads N] [--filter TEXT] [--target NAME] [--all]\n");
      return 1;
    }
  }
  return tenon::benchmark::run(options);
}
