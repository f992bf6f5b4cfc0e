// SPDX-License-Identifier: Apache-2.0
// Kernel + schedule -> position-independent machine code.
#pragma once

#include "builder/codegen/cpu/target.h"
#include "builder/loop/kernel.h"
#include "builder/loop/schedule.h"

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tenon::codegen {

struct CodeOptions {
  bool checked = false;       ///< test every load and store against KernelArgs::buffer_bytes
  bool keep_assembly = false; ///< fill GeneratedKernel::assembly
};

/// One kernel as a flat blob: no external symbol, no absolute relocation, 64-byte aligned.
struct GeneratedKernel {
  std::vector<std::byte> code;
  uint64_t entry = 0;              ///< offset of the KernelFunction in `code`
  std::vector<ir::Dim> dims;       ///< what KernelArgs::dims must hold, in order
  ir::Dim grid = 1;                ///< number of work items
  int64_t grain = 1;               ///< smallest useful chunk of items for a thread
  ir::Dim scratch_bytes = 0;       ///< of one worker
  int vector_bits = 0;             ///< widest vector register that the hot loop uses
  std::string assembly;
};

/// Compiles one kernel. Functions are expanded here (expand_functions). Thread-safe. The error is
/// `internal` when LLVM fails, and names the kernel; `unsupported` when the schedule cannot run it.
Result<GeneratedKernel> generate(const loop::Kernel& kernel, const loop::Schedule& schedule,
                                 const Target& target, const CodeOptions& options = {});

}  // namespace tenon::codegen
