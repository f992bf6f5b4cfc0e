// SPDX-License-Identifier: Apache-2.0
#include "tests/codegen/kernel_runner.h"

#include "builder/loop/interpret.h"
#include "builder/loop/text.h"

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cmath>
#include <cstring>

namespace tenon::test {

namespace {

constexpr size_t kPage = 4096;

size_t pages(size_t size) { return (size + kPage - 1) / kPage * kPage; }

float half_to_float(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, 2);
  return static_cast<float>(value);
}

uint16_t float_to_half(float value) {
  auto half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, 2);
  return bits;
}

double real_at(DataType type, const std::byte* data) {
  if (type == DataType::f64) {
    double value;
    std::memcpy(&value, data, 8);
    return value;
  }
  if (type == DataType::f32) {
    float value;
    std::memcpy(&value, data, 4);
    return value;
  }
  uint16_t bits;
  std::memcpy(&bits, data, 2);
  if (type == DataType::f16) return half_to_float(bits);
  uint32_t word = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

void write_real(DataType type, double real, std::byte* data) {
  auto value = static_cast<float>(real);
  uint32_t word;
  std::memcpy(&word, &value, 4);
  auto upper = static_cast<uint16_t>(word >> 16);
  uint16_t half = float_to_half(value);
  switch (type) {
    case DataType::f64:
      std::memcpy(data, &real, 8);
      break;
    case DataType::f32:
      std::memcpy(data, &value, 4);
      break;
    case DataType::f16:
      std::memcpy(data, &half, 2);
      break;
    default:
      std::memcpy(data, &upper, 2);
      break;
  }
}

double random_real(std::mt19937_64& random) {
  switch (random() % 24) {
    case 0:
      return 0;
    case 1:
      return -0.0;
    case 2:
      return HUGE_VAL;
    case 3:
      return -HUGE_VAL;
    case 4:
      return NAN;
    case 5:
      return 1e30;
    case 6:
      return 3e9;
    default:
      return std::uniform_real_distribution<double>(-8, 8)(random);
  }
}

std::string element_text(DataType type, const std::byte* data) {
  if (is_float(type)) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g", real_at(type, data));
    return text;
  }
  int64_t value = 0;
  std::memcpy(&value, data, static_cast<size_t>(bit_width(type) / 8));
  return std::to_string(value);
}

bool close(DataType type, const std::byte* expected, const std::byte* actual, double tolerance) {
  auto size = static_cast<size_t>(bit_width(type) / 8);
  if (std::memcmp(expected, actual, size) == 0) return true;
  if (!is_float(type)) return false;
  double a = real_at(type, expected), b = real_at(type, actual);
  if (std::isnan(a) && std::isnan(b)) return true;
  // The sign of a zero that minimum and maximum choose is open.
  if (a == b) return true;
  return std::abs(a - b) <= tolerance * (1 + std::abs(a));
}

}  // namespace

GuardedBytes::GuardedBytes(size_t size) : size_(size), mapped_(pages(size) + 2 * kPage) {
  mapping_ = static_cast<std::byte*>(
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(mapping_, kPage, PROT_NONE);
  mprotect(mapping_ + mapped_ - kPage, kPage, PROT_NONE);
  data_ = mapping_ + mapped_ - kPage - size;
}

GuardedBytes::~GuardedBytes() {
  if (mapping_) munmap(mapping_, mapped_);
}

GuardedBytes::GuardedBytes(GuardedBytes&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      data_(other.data_),
      size_(other.size_),
      mapped_(other.mapped_) {}

LoadedCode::LoadedCode(const codegen::GeneratedKernel& kernel) : size_(pages(kernel.code.size())) {
  mapping_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(mapping_, kernel.code.data(), kernel.code.size());
  mprotect(mapping_, size_, PROT_READ | PROT_EXEC);
  function_ = reinterpret_cast<KernelFunction>(static_cast<std::byte*>(mapping_) + kernel.entry);
}

LoadedCode::~LoadedCode() { munmap(mapping_, size_); }

const std::vector<codegen::Target>& runnable_targets() {
  static const std::vector<codegen::Target> targets = [] {
    std::vector<codegen::Target> result;
    auto native = codegen::parse_target("cpu:native").value();
    for (const char* name : {"cpu:x86-64-v3", "cpu:x86-64-v4"}) {
      auto target = codegen::parse_target(name).value();
      if (target.unit.bits <= native.unit.bits) result.push_back(target);
    }
    result.push_back(native);
    return result;
  }();
  return targets;
}

int64_t evaluate(const ir::Dim& dim, const Symbols& symbols) {
  auto value = dim.evaluate([&](const std::string& name) -> std::optional<int64_t> {
    auto found = symbols.find(name);
    if (found == symbols.end()) return std::nullopt;
    return found->second;
  });
  EXPECT_TRUE(value.has_value()) << "no value for " << dim.to_string();
  return value.value_or(0);
}

std::vector<std::vector<std::byte>> random_buffers(const loop::Kernel& kernel,
                                                   const Symbols& symbols,
                                                   std::mt19937_64& random) {
  std::vector<std::vector<std::byte>> buffers;
  for (const auto& buffer : kernel.buffers) {
    auto type = buffer.type.type;
    auto count = evaluate(ir::physical_elements(buffer.type.layout, buffer.type.shape), symbols);
    std::vector<std::byte> bytes(static_cast<size_t>(byte_size(type, count)), std::byte{0xcd});
    auto size = static_cast<size_t>(bit_width(type) / 8);
    for (size_t at = 0; !buffer.written && at < bytes.size(); at += size) {
      if (is_float(type)) {
        write_real(type, random_real(random), &bytes[at]);
      } else {
        uint64_t value = type == DataType::boolean ? random() % 2
                         : random() % 3            ? random() % 7 - 3
                                                   : random();
        std::memcpy(&bytes[at], &value, size);
      }
    }
    buffers.push_back(std::move(bytes));
  }
  return buffers;
}

namespace {

bool generate(const loop::Kernel& kernel, const loop::Schedule& schedule,
              const codegen::Target& target, bool checked, codegen::GeneratedKernel* generated) {
  codegen::CodeOptions options;
  options.checked = checked;
  auto result = codegen::generate(kernel, schedule, target, options);
  if (!result) {
    ADD_FAILURE() << target.text << ", schedule " << loop::to_string(schedule) << ": "
                  << result.status().to_string();
    return false;
  }
  *generated = *std::move(result);
  return true;
}

RunResult run_generated(const codegen::GeneratedKernel& generated, const LoadedCode& code,
                        const Symbols& symbols, const std::vector<std::vector<std::byte>>& buffers,
                        const RunOptions& options) {
  RunResult result;
  std::vector<GuardedBytes> memory;
  std::vector<void*> pointers;
  std::vector<int64_t> sizes, dims;
  for (size_t i = 0; i < buffers.size(); ++i) {
    memory.emplace_back(buffers[i].size());
    std::copy(buffers[i].begin(), buffers[i].end(), memory.back().data());
    pointers.push_back(memory.back().data());
    auto claimed = options.claimed_bytes.find(static_cast<int>(i));
    sizes.push_back(claimed == options.claimed_bytes.end() ? static_cast<int64_t>(buffers[i].size())
                                                           : claimed->second);
  }
  for (const auto& dim : generated.dims) dims.push_back(evaluate(dim, symbols));
  int64_t stride = (evaluate(generated.scratch_bytes, symbols) + 63) / 64 * 64;
  constexpr uint32_t kWorker = 1;
  GuardedBytes scratch(static_cast<size_t>(stride) * (kWorker + 1));
  KernelError errors[kWorker + 1] = {};
  KernelArgs args{pointers.data(), dims.data(),
                  sizes.data(),    reinterpret_cast<unsigned char*>(scratch.data()),
                  stride,          errors};
  int64_t grid = evaluate(generated.grid, symbols);
  for (int64_t begin = 0; begin < grid && result.code == 0; begin += options.chunk) {
    result.code = code.function()(&args, begin, std::min(begin + options.chunk, grid), kWorker);
  }
  result.error = errors[kWorker];
  for (auto& guarded : memory) {
    result.buffers.emplace_back(guarded.bytes().begin(), guarded.bytes().end());
  }
  return result;
}

void expect_same(const loop::Kernel& kernel, const RunResult& result,
                 const std::vector<std::vector<std::byte>>& expected, double tolerance,
                 const std::string& where) {
  ASSERT_EQ(result.code, 0) << where;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    auto type = kernel.buffers[i].type.type;
    auto size = static_cast<size_t>(bit_width(type) / 8);
    for (size_t at = 0; at < expected[i].size(); at += size) {
      ASSERT_TRUE(close(type, &expected[i][at], &result.buffers[i][at], tolerance))
          << where << ": element " << at / size << " of buffer " << i << " should be "
          << element_text(type, &expected[i][at]) << ", is "
          << element_text(type, &result.buffers[i][at]) << "\n"
          << loop::to_string(kernel);
    }
  }
}

}  // namespace

RunResult run(const loop::Kernel& kernel, const loop::Schedule& schedule,
              const codegen::Target& target, const Symbols& symbols,
              const std::vector<std::vector<std::byte>>& buffers, const RunOptions& options) {
  codegen::GeneratedKernel generated;
  if (!generate(kernel, schedule, target, options.checked, &generated)) {
    RunResult result;
    result.code = -1;
    return result;
  }
  return run_generated(generated, LoadedCode(generated), symbols, buffers, options);
}

void expect_as_interpreted(const loop::Kernel& kernel, const loop::Schedule& schedule,
                           const std::vector<Symbols>& symbols, uint64_t seed,
                           const RunOptions& options) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::vector<std::byte>>> inputs, outputs;
  for (const auto& each : symbols) {
    inputs.push_back(random_buffers(kernel, each, random));
    outputs.push_back(inputs.back());
    std::vector<std::span<std::byte>> spans(outputs.back().begin(), outputs.back().end());
    auto status = loop::interpret(kernel, each, spans);
    ASSERT_TRUE(status.ok()) << kernel.name << ": " << status.to_string();
  }
  auto targets = runnable_targets();
  targets.push_back(targets.back());
  for (size_t turn = 0; turn < targets.size(); ++turn) {
    bool checked = options.checked || turn + 1 == targets.size();
    codegen::GeneratedKernel generated;
    ASSERT_TRUE(generate(kernel, schedule, targets[turn], checked, &generated));
    LoadedCode code(generated);
    for (size_t i = 0; i < symbols.size(); ++i) {
      std::string where = kernel.name + " on " + targets[turn].text + ", schedule " +
                          loop::to_string(schedule) + ", seed " + std::to_string(seed);
      for (const auto& [name, value] : symbols[i])
        where += ", " + name + "=" + std::to_string(value);
      auto result = run_generated(generated, code, symbols[i], inputs[i], options);
      expect_same(kernel, result, outputs[i], options.tolerance, where);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

void expect_as_interpreted(const loop::Kernel& kernel, const loop::Schedule& schedule,
                           const Symbols& symbols, uint64_t seed, const RunOptions& options) {
  expect_as_interpreted(kernel, schedule, std::vector<Symbols>{symbols}, seed, options);
}

}  // namespace tenon::test
