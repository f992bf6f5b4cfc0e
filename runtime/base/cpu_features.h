// SPDX-License-Identifier: Apache-2.0
// Instruction sets of this processor, by LLVM's names ("avx2", "avx512f", "avx512bf16", ...).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// What the processor has and the system saves, less `masked` and all that builds on it: masking
/// "avx512f" masks every avx512*. Sorted by name.
std::vector<std::string> cpu_features(std::span<const std::string> masked = {});

/// Those of `needed` that `available` lacks, in order.
std::vector<std::string> missing_features(std::span<const std::string> needed,
                                          std::span<const std::string> available);

/// Whether LLVM's name is one that cpu_features() could report.
bool is_cpu_feature(std::string_view name);

/// The newest portable target whose features are among `available`: "cpu:x86-64-v4", ...
std::string_view portable_target(std::span<const std::string> available);

/// Asks the system for the tile registers, which a process must do before it uses amx-*.
bool enable_amx();

}  // namespace tenon
