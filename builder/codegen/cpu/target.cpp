// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/target.h"

#include "runtime/base/cpu_features.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/X86TargetParser.h>

#include <algorithm>
#include <set>

#if defined(__linux__)
#include <unistd.h>
#endif

namespace tenon::codegen {

namespace {

using Names = std::set<std::string>;

const Names& known_processors() {
  static const Names names = [] {
    llvm::SmallVector<llvm::StringRef, 64> list;
    llvm::X86::fillValidCPUArchList(list, true);
    Names result;
    for (auto name : list) result.insert(name.str());
    return result;
  }();
  return names;
}

Names features_of(const std::string& processor) {
  llvm::SmallVector<llvm::StringRef, 64> list;
  llvm::X86::getFeaturesForCPU(processor, list);
  // The table lists x86-64-v4 without AVX512F, which others there imply.
  llvm::StringMap<bool> closed;
  for (auto name : list) {
    closed[name] = true;
    llvm::X86::updateImpliedFeatures(name, true, closed);
  }
  Names result;
  for (const auto& entry : closed) {
    if (entry.getValue()) result.insert(entry.getKey().str());
  }
  return result;
}

/// Instruction sets that some processor has: tuning flags are not among them.
const Names& known_features() {
  static const Names names = [] {
    Names result;
    for (const auto& processor : known_processors()) result.merge(features_of(processor));
    return result;
  }();
  return names;
}

std::string near_names(const std::string& name, const Names& names) {
  std::vector<std::pair<unsigned, std::string>> ranked;
  for (const auto& candidate : names) {
    ranked.emplace_back(llvm::StringRef(candidate).edit_distance(name), candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  std::string result;
  for (size_t i = 0; i < std::min<size_t>(3, ranked.size()); ++i) {
    result += (i ? ", " : "") + ranked[i].second;
  }
  return result;
}

/// The longest name that `text` begins with and that a sign or the end follows.
std::string leading_name(const std::string& text, const Names& names) {
  std::string best;
  for (const auto& name : names) {
    if (name.size() > best.size() && text.starts_with(name) &&
        (text.size() == name.size() || text[name.size()] == '+' || text[name.size()] == '-')) {
      best = name;
    }
  }
  return best;
}

/// Models that LLVM keeps from 512-bit vectors, or schedules badly, are tuned as another.
std::string tuning_for(const std::string& processor, int vector_bits) {
  static const Names good = {"znver4",        "znver5",        "sapphirerapids",
                             "emeraldrapids", "graniterapids", "graniterapids-d"};
  if (vector_bits == 512) return good.count(processor) ? processor : "sapphirerapids";
  if (processor.starts_with("x86-64")) return "generic";
  return processor;
}

void measure_caches(loop::VectorUnit* unit) {
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  // Virtual machines often hide the sizes; the defaults stand then.
  if (long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0) unit->l1_bytes = bytes;
  if (long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) unit->l2_bytes = bytes;
#else
  (void)unit;
#endif
}

Status bad(const std::string& text, const std::string& why) {
  return {ErrorCode::bad_argument, "target '" + text + "': " + why};
}

}  // namespace

bool Target::has(const std::string& feature) const {
  return std::binary_search(features.begin(), features.end(), feature);
}

std::string Target::description() const {
  std::string sets = unit.bits == 512 ? "AVX-512" : "AVX2";
  if (has("avx512vnni") || has("avxvnni")) sets += ", VNNI";
  if (has("avx512bf16")) sets += ", BF16";
  if (has("avx512fp16")) sets += ", FP16";
  if (has("amx-tile")) sets += ", AMX";
  return "cpu:" + processor + " (" + sets + ")";
}

Result<Target> parse_target(const std::string& text) {
  if (!text.starts_with("cpu:")) return bad(text, "a processor is written cpu:NAME");
  std::string rest = text.substr(4);
  Target target;
  target.text = text;
  Names named = known_processors();
  named.insert("native");
  target.processor = leading_name(rest, named);
  if (target.processor.empty()) {
    auto name = rest.substr(0, rest.find('+'));
    return bad(text,
               "no processor is called '" + name + "'; near names: " + near_names(name, named));
  }
  rest.erase(0, target.processor.size());

  bool native = target.processor == "native";
  Names features;
  if (native) {
    target.processor = llvm::sys::getHostCPUName().str();
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      auto name = feature.getKey().str();
      if (feature.getValue() && known_features().count(name)) features.insert(name);
    }
  } else {
    features = features_of(target.processor);
  }
  // System instructions (clzero, invpcid, ...) never appear in kernels, and a plan must not ask for them.
  std::erase_if(features, [](const std::string& name) { return !is_cpu_feature(name); });

  llvm::StringMap<bool> changed;
  for (const auto& feature : features) changed[feature] = true;
  while (!rest.empty()) {
    bool enabled = rest[0] == '+';
    rest.erase(0, 1);
    auto feature = leading_name(rest, known_features());
    if (feature.empty()) {
      return bad(text, "no instruction set is called '" + rest +
                           "'; near names: " + near_names(rest, known_features()));
    }
    rest.erase(0, feature.size());
    changed[feature] = enabled;
    llvm::X86::updateImpliedFeatures(feature, enabled, changed);
  }
  for (const auto& entry : changed) {
    if (entry.getValue()) target.features.push_back(entry.getKey().str());
  }
  std::sort(target.features.begin(), target.features.end());

  for (const char* needed : {"avx2", "fma", "f16c"}) {
    if (target.has(needed)) continue;
    return Status(ErrorCode::unsupported,
                  "target '" + text + "' lacks " + needed +
                      ": not supported yet: processors without AVX2, FMA and F16C; the oldest "
                      "target is cpu:x86-64-v3");
  }
  bool wide = target.has("avx512f") && target.has("avx512bw") && target.has("avx512dq") &&
              target.has("avx512vl");
  target.unit.bits = wide ? 512 : 256;
  target.unit.registers = wide ? 32 : 16;
  if (native) measure_caches(&target.unit);
  target.tuning = tuning_for(target.processor, target.unit.bits);
  return target;
}

}  // namespace tenon::codegen
