// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/cpu_features.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace tenon {
namespace {

enum Register : uint8_t { eax, ebx, ecx, edx };

// Where cpuid tells of a feature, and the feature it builds on. A base stands before what needs it.
struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  Register where;
  uint8_t bit;
  std::string_view base;
};

constexpr uint32_t kExtended = 0x80000001;

constexpr Feature kFeatures[] = {
    {"x87", 1, 0, edx, 0, ""},
    {"cx8", 1, 0, edx, 8, ""},
    {"cmov", 1, 0, edx, 15, ""},
    {"mmx", 1, 0, edx, 23, ""},
    {"fxsr", 1, 0, edx, 24, ""},
    {"sse", 1, 0, edx, 25, ""},
    {"sse2", 1, 0, edx, 26, "sse"},
    {"sse3", 1, 0, ecx, 0, "sse2"},
    {"pclmul", 1, 0, ecx, 1, "sse2"},
    {"ssse3", 1, 0, ecx, 9, "sse3"},
    {"cx16", 1, 0, ecx, 13, ""},
    {"sse4.1", 1, 0, ecx, 19, "ssse3"},
    {"sse4.2", 1, 0, ecx, 20, "sse4.1"},
    {"crc32", 1, 0, ecx, 20, ""},
    {"movbe", 1, 0, ecx, 22, ""},
    {"popcnt", 1, 0, ecx, 23, ""},
    {"aes", 1, 0, ecx, 25, "sse2"},
    {"xsave", 1, 0, ecx, 26, ""},
    {"rdrnd", 1, 0, ecx, 30, ""},
    {"sahf", kExtended, 0, ecx, 0, ""},
    {"lzcnt", kExtended, 0, ecx, 5, ""},
    {"sse4a", kExtended, 0, ecx, 6, "sse3"},
    {"prfchw", kExtended, 0, ecx, 8, ""},
    {"64bit", kExtended, 0, edx, 29, ""},
    {"fsgsbase", 7, 0, ebx, 0, ""},
    {"bmi", 7, 0, ebx, 3, ""},
    {"bmi2", 7, 0, ebx, 8, ""},
    {"rdseed", 7, 0, ebx, 18, ""},
    {"adx", 7, 0, ebx, 19, ""},
    {"clflushopt", 7, 0, ebx, 23, ""},
    {"clwb", 7, 0, ebx, 24, ""},
    {"sha", 7, 0, ebx, 29, "sse2"},
    {"gfni", 7, 0, ecx, 8, "sse2"},
    {"rdpid", 7, 0, ecx, 22, ""},
    {"xsaveopt", 13, 1, eax, 0, "xsave"},
    {"xsavec", 13, 1, eax, 1, "xsave"},
    {"xsaves", 13, 1, eax, 3, "xsave"},
    {"avx", 1, 0, ecx, 28, "sse4.2"},
    {"fma", 1, 0, ecx, 12, "avx"},
    {"f16c", 1, 0, ecx, 29, "avx"},
    {"avx2", 7, 0, ebx, 5, "avx"},
    {"vaes", 7, 0, ecx, 9, "avx"},
    {"vpclmulqdq", 7, 0, ecx, 10, "avx"},
    {"avxvnni", 7, 1, eax, 4, "avx2"},
    {"avxifma", 7, 1, eax, 23, "avx2"},
    {"avxvnniint8", 7, 1, edx, 4, "avx2"},
    {"avxneconvert", 7, 1, edx, 5, "avx2"},
    {"avxvnniint16", 7, 1, edx, 10, "avx2"},
    {"avx512f", 7, 0, ebx, 16, "avx2"},
    {"evex512", 7, 0, ebx, 16, "avx512f"},
    {"avx512dq", 7, 0, ebx, 17, "avx512f"},
    {"avx512ifma", 7, 0, ebx, 21, "avx512f"},
    {"avx512cd", 7, 0, ebx, 28, "avx512f"},
    {"avx512bw", 7, 0, ebx, 30, "avx512f"},
    {"avx512vl", 7, 0, ebx, 31, "avx512f"},
    {"avx512vbmi", 7, 0, ecx, 1, "avx512bw"},
    {"avx512vbmi2", 7, 0, ecx, 6, "avx512bw"},
    {"avx512vnni", 7, 0, ecx, 11, "avx512f"},
    {"avx512bitalg", 7, 0, ecx, 12, "avx512bw"},
    {"avx512vpopcntdq", 7, 0, ecx, 14, "avx512f"},
    {"avx512vp2intersect", 7, 0, edx, 8, "avx512f"},
    {"avx512fp16", 7, 0, edx, 23, "avx512bw"},
    {"avx512bf16", 7, 1, eax, 5, "avx512bw"},
    {"amx-tile", 7, 0, edx, 24, ""},
    {"amx-bf16", 7, 0, edx, 22, "amx-tile"},
    {"amx-int8", 7, 0, edx, 25, "amx-tile"},
    {"amx-fp16", 7, 1, eax, 21, "amx-tile"},
};

// State components that the system saves at a context switch (XCR0).
constexpr uint64_t kAvxState = 0x6, kAvx512State = 0xe6, kAmxState = 0x60000;

uint64_t saved_state() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27))) return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

bool cpuid_bit(const Feature& feature) {
  std::array<uint32_t, 4> registers{};
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &registers[eax], &registers[ebx],
                         &registers[ecx], &registers[edx])) {
    return false;
  }
  // Leaf 7 tells in eax of subleaf 0 how many subleaves it has.
  if (feature.leaf == 7 && feature.subleaf > 0) {
    uint32_t last = 0, b, c, d;
    __get_cpuid_count(7, 0, &last, &b, &c, &d);
    if (last < feature.subleaf) return false;
  }
  return registers[feature.where] & (1u << feature.bit);
}

bool state_is_saved(const Feature& feature, uint64_t state) {
  const auto has = [&](uint64_t mask) { return (state & mask) == mask; };
  if (feature.name == "avx") return has(kAvxState);
  if (feature.name == "avx512f") return has(kAvx512State);
  if (feature.name == "amx-tile") return has(kAmxState);
  return true;
}

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> cpu_features(std::span<const std::string> masked) {
  const uint64_t state = saved_state();
  std::vector<std::string> available;
  for (const Feature& feature : kFeatures) {
    if (contains(masked, feature.name) || !state_is_saved(feature, state)) continue;
    if (!feature.base.empty() && !contains(available, feature.base)) continue;
    if (cpuid_bit(feature)) available.emplace_back(feature.name);
  }
  std::sort(available.begin(), available.end());
  return available;
}

std::vector<std::string> missing_features(std::span<const std::string> needed,
                                          std::span<const std::string> available) {
  std::vector<std::string> missing;
  for (const std::string& name : needed) {
    if (!contains(available, name)) missing.push_back(name);
  }
  return missing;
}

bool is_cpu_feature(std::string_view name) {
  return std::any_of(std::begin(kFeatures), std::end(kFeatures),
                     [&](const Feature& feature) { return feature.name == name; });
}

std::string_view portable_target(std::span<const std::string> available) {
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::all_of(names.begin(), names.end(),
                       [&](std::string_view name) { return contains(available, name); });
  };
  if (!has({"sse4.2", "popcnt", "cx16", "ssse3", "sahf"})) return "cpu:x86-64";
  if (!has({"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"})) return "cpu:x86-64-v2";
  if (!has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})) return "cpu:x86-64-v3";
  return "cpu:x86-64-v4";
}

bool enable_amx() {
  constexpr int kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace tenon
