// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/loop/contraction.h"

#include <tenon/status.h>

#include <string>
#include <vector>

namespace tenon::codegen {

/// A processor to generate code for: instruction sets, and the model that tunes the code, apart.
struct Target {
  std::string text;                   ///< as given: "cpu:native"
  std::string processor;              ///< "znver5", "x86-64-v3"
  std::string tuning;                 ///< LLVM's tune-cpu, chosen so that 512-bit vectors are not avoided
  std::vector<std::string> features;  ///< LLVM's names without '+', sorted: what the code may use
  loop::VectorUnit unit;

  bool has(const std::string& feature) const;
  /// "cpu:znver5 (AVX-512, VNNI, BF16)"
  std::string description() const;
};

/// Parses "cpu:native", "cpu:x86-64-v2" (an error: no AVX2), "cpu:x86-64-v3", "cpu:x86-64-v4", or an LLVM
/// processor name, each with any number of "+feature" and "-feature".
Result<Target> parse_target(const std::string& text);

}  // namespace tenon::codegen
