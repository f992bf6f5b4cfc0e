// SPDX-License-Identifier: Apache-2.0
// Runs generated kernels on buffers that end at unmapped pages, and compares with the interpreter.
#pragma once

#include "builder/codegen/cpu/generate.h"
#include "builder/loop/kernel.h"
#include "builder/loop/schedule.h"
#include "runtime/base/kernel_abi.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace tenon::test {

using Symbols = std::map<std::string, int64_t>;

/// Memory whose last byte lies before an unmapped page.
class GuardedBytes {
 public:
  explicit GuardedBytes(size_t size);
  ~GuardedBytes();
  GuardedBytes(GuardedBytes&& other) noexcept;
  GuardedBytes(const GuardedBytes&) = delete;
  std::byte* data() const { return data_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte *mapping_ = nullptr, *data_ = nullptr;
  size_t size_ = 0, mapped_ = 0;
};

/// Generated code, mapped read and execute.
class LoadedCode {
 public:
  explicit LoadedCode(const codegen::GeneratedKernel& kernel);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  KernelFunction function() const { return function_; }

 private:
  void* mapping_ = nullptr;
  size_t size_ = 0;
  KernelFunction function_ = nullptr;
};

/// Targets that this machine can run, of cpu:x86-64-v3, cpu:x86-64-v4 and cpu:native.
const std::vector<codegen::Target>& runnable_targets();

int64_t evaluate(const ir::Dim& dim, const Symbols& symbols);

/// Bytes of each buffer, inputs filled with values that suit their types, outputs with 0xcd.
std::vector<std::vector<std::byte>> random_buffers(const loop::Kernel& kernel,
                                                   const Symbols& symbols, std::mt19937_64& random);

struct RunOptions {
  bool checked = false;
  int64_t chunk = 3;     ///< items in one call
  double tolerance = 0;  ///< relative to 1 + |expected|, for floats; 0: equal bits, or both NaN
  /// Shorter buffer_bytes than there are, by buffer, to provoke checks.
  std::map<int, int64_t> claimed_bytes;
};

struct RunResult {
  int32_t code = 0;
  KernelError error{};
  std::vector<std::vector<std::byte>> buffers;
};

/// Generates and runs; an error of generation is a test failure, and gives code -1.
RunResult run(const loop::Kernel& kernel, const loop::Schedule& schedule,
              const codegen::Target& target, const Symbols& symbols,
              const std::vector<std::vector<std::byte>>& buffers, const RunOptions& options = {});

/// Compiles for every target, runs for every set of symbols, and compares every written buffer with
/// the interpreter's. The last target is repeated with checks.
void expect_as_interpreted(const loop::Kernel& kernel, const loop::Schedule& schedule,
                           const std::vector<Symbols>& symbols, uint64_t seed,
                           const RunOptions& options = {});
void expect_as_interpreted(const loop::Kernel& kernel, const loop::Schedule& schedule,
                           const Symbols& symbols, uint64_t seed, const RunOptions& options = {});

}  // namespace tenon::test
