// SPDX-License-Identifier: Apache-2.0
#include "tests/contraction/compare.h"

#include "builder/loop/contraction.h"
#include "builder/loop/interpret.h"
#include "builder/loop/rewrite.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace tenon::test {

namespace {

float half_to_float(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(bits & 1023), -24)
                              : std::ldexp(static_cast<float>((bits & 1023) | 1024), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double element(DataType type, const std::byte* at) {
  const auto read = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  switch (type) {
    case DataType::f64:
      return read(double{});
    case DataType::f16:
      return half_to_float(read(uint16_t{}));
    case DataType::bf16:
      return std::bit_cast<float>(static_cast<uint32_t>(read(uint16_t{})) << 16);
    default:
      return read(float{});
  }
}

/// Numbers with few bits, so that every stored type holds them exactly.
void fill(DataType type, std::span<std::byte> bytes, std::mt19937& random) {
  const size_t width = static_cast<size_t>(bit_width(type)) / 8;
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    const float value = static_cast<float>(static_cast<int>(random() % 33) - 16) / 16.0f;
    const double wide = value;
    const uint16_t brain = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
    uint16_t half = 0;
    for (uint32_t bits = 0; type == DataType::f16 && bits < 65536; ++bits) {
      if (half_to_float(static_cast<uint16_t>(bits)) == value) half = static_cast<uint16_t>(bits);
    }
    switch (type) {
      case DataType::f64:
        std::memcpy(&bytes[at], &wide, width);
        break;
      case DataType::f16:
        std::memcpy(&bytes[at], &half, width);
        break;
      case DataType::bf16:
        std::memcpy(&bytes[at], &brain, width);
        break;
      default:
        std::memcpy(&bytes[at], &value, width);
        break;
    }
  }
}

}  // namespace

size_t byte_count(const ir::TensorType& type, const Symbols& symbols) {
  const int64_t elements = evaluate(ir::physical_elements(type.layout, type.shape), symbols);
  return static_cast<size_t>(byte_size(type.type, elements));
}

void check(const Case& test, const std::string& target_name, bool checked) {
  SCOPED_TRACE(test.name + " on " + target_name);
  auto target = codegen::parse_target(target_name);
  ASSERT_TRUE(target.ok()) << target.status().to_string();

  std::mt19937 random(7);
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::span<std::byte>> spans;
  for (const loop::Buffer& buffer : test.kernel.buffers) {
    inputs.emplace_back(byte_count(buffer.type, test.symbols));
    fill(buffer.type.type, inputs.back(), random);
  }
  for (auto& bytes : inputs) spans.emplace_back(bytes);
  std::vector<std::vector<std::byte>> expected = inputs;
  std::vector<std::span<std::byte>> expected_spans;
  for (auto& bytes : expected) expected_spans.emplace_back(bytes);
  const Status interpreted = loop::interpret(test.kernel, test.symbols, expected_spans);
  ASSERT_TRUE(interpreted.ok()) << interpreted.to_string();

  loop::Kernel prepared = test.kernel;
  loop::split_group_axes(prepared);
  loop::collapse_axes(prepared);
  auto roles = loop::match_contraction(prepared);
  ASSERT_TRUE(roles.ok()) << roles.status().to_string();
  for (const loop::Schedule& schedule :
       loop::contraction_schedules(prepared, *roles, target->unit)) {
    SCOPED_TRACE(to_string(schedule));
    loop::Kernel kernel = prepared;
    if (schedule.packed) {
      const Status packed = loop::pack_constant_operand(kernel, *roles, schedule.vector_elements);
      ASSERT_TRUE(packed.ok()) << packed.to_string();
    }
    auto generated = codegen::generate(kernel, schedule, *target, {.checked = checked});
    ASSERT_TRUE(generated.ok()) << generated.status().to_string();
    const LoadedKernel loaded(std::move(*generated), test.symbols);
    std::vector<GuardedBytes> guarded;
    std::vector<std::span<std::byte>> buffers;
    for (size_t b = 0; b < kernel.buffers.size(); ++b) {
      const std::vector<std::byte> bytes =
          kernel.buffers[b].type.layout.blocks.empty()
              ? inputs[b]
              : to_layout(kernel.buffers[b].type, test.symbols, inputs[b]);
      guarded.emplace_back(bytes.size());
      std::copy(bytes.begin(), bytes.end(), guarded.back().bytes().begin());
      buffers.push_back(guarded.back().bytes());
    }
    // Two parts in the wrong order: items are independent.
    const int64_t middle = loaded.grid() / 3;
    ASSERT_EQ(loaded.run(buffers, middle, loaded.grid()), 0);
    ASSERT_EQ(loaded.run(buffers, 0, middle), 0);
    for (size_t b = 0; b < kernel.buffers.size(); ++b) {
      if (!kernel.buffers[b].written) continue;
      const DataType type = kernel.buffers[b].type.type;
      const size_t width = static_cast<size_t>(bit_width(type)) / 8;
      const double tolerance = (type == DataType::f64 ? 1e-12 : 2e-6) * (1 + std::sqrt(test.depth));
      for (size_t at = 0; at < expected[b].size(); at += width) {
        const double want = element(type, &expected[b][at]);
        const double got = element(type, &buffers[b][at]);
        ASSERT_NEAR(got, want, tolerance * (1 + std::abs(want)))
            << "element " << at / width << " of " << expected[b].size() / width;
      }
    }
  }
}

}  // namespace tenon::test
