// SPDX-License-Identifier: Apache-2.0
// Symbolic dims as the instructions that a plan evaluates for each new set of shapes.
#pragma once

#include "builder/ir/dim.h"
#include "runtime/plan/meta_generated.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tenon::emit {

/// In place of a dim result's number: none.
inline constexpr uint32_t kNoDim = 0xffffffff;

/// Numbers dims, each distinct one once, in the order in which they are asked for.
class DimProgram {
 public:
  /// `symbols`: number of each symbol.
  explicit DimProgram(std::map<std::string, uint32_t> symbols) : symbols_(std::move(symbols)) {}

  /// The number of the result that holds this dim.
  uint32_t number(const ir::Dim& dim);
  const std::vector<plan::DimInstruction>& instructions() const { return instructions_; }

 private:
  uint32_t add(plan::DimOp op, int64_t a, int64_t b = 0);
  uint32_t atom(const ir::DimAtom& atom);

  std::map<std::string, uint32_t> symbols_;
  std::map<ir::Dim, uint32_t> numbers_;
  std::vector<plan::DimInstruction> instructions_;
};

}  // namespace tenon::emit
