// SPDX-License-Identifier: Apache-2.0
// LLVM module -> object -> flat code, with every way LLVM can fail turned into a Status.
#pragma once

#include "builder/codegen/cpu/linker.h"
#include "builder/codegen/cpu/target.h"

#include <llvm/IR/Module.h>

#include <functional>
#include <memory>
#include <string>

namespace tenon::codegen {

/// Calls `build` with a fresh module for the target, and compiles what it made, whose entry is
/// kEntryName; `kernel` is for messages. Any failure of LLVM is an `internal` error; the LLVM
/// context is then abandoned, because its state is unknown.
Result<FlatCode> compile(const Target& target, const std::string& kernel,
                         const std::function<Status(llvm::Module&)>& build);

/// What the text of a flat blob does.
struct CodeListing {
  std::string assembly;     ///< Intel syntax, one instruction a line, loop heads as labels
  int hot_vector_bits = 0;  ///< widest register in an innermost loop, or anywhere without loops
};
Result<CodeListing> disassemble(const Target& target, const FlatCode& code);

}  // namespace tenon::codegen
