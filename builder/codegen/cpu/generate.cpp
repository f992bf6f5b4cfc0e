// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/generate.h"

#include "builder/codegen/cpu/contraction.h"
#include "builder/codegen/cpu/emit_context.h"
#include "builder/codegen/cpu/general.h"
#include "builder/codegen/cpu/machine_code.h"
#include "builder/loop/functions.h"

namespace tenon::codegen {

Result<GeneratedKernel> generate(const loop::Kernel& kernel, const loop::Schedule& schedule,
                                 const Target& target, const CodeOptions& options) {
  loop::Kernel expanded = kernel;
  loop::expand_functions(expanded);
  const std::string named = "kernel '" + expanded.name + "'";
  if (auto status = loop::verify(expanded); !status.ok()) return status.with_context(named);

  GeneratedKernel generated;
  auto code = compile(target, expanded.name, [&](llvm::Module& module) -> Status {
    EmitContext context(expanded, schedule, target, options, module, generated);
    TENON_RETURN_IF_ERROR(schedule.family == loop::Family::contraction ? emit_contraction(context)
                                                                       : emit_general(context));
    context.finish();
    return context.error();
  });
  if (!code) return code.status().with_context(named);
  TENON_ASSIGN(auto listing, disassemble(target, *code));
  generated.vector_bits = listing.hot_vector_bits;
  if (options.keep_assembly) generated.assembly = std::move(listing.assembly);
  generated.code = std::move(code->bytes);
  generated.entry = code->entry;
  return generated;
}

}  // namespace tenon::codegen
