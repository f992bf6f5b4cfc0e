// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/machine_code.h"

#include "builder/codegen/cpu/emit_context.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <mutex>
#include <stdexcept>

namespace tenon::codegen {

namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

/// What LLVM's fatal-error handler throws through LLVM's frames.
struct LlvmFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86Disassembler();
    llvm::install_fatal_error_handler(
        [](void*, const char* reason, bool) { throw LlvmFailure(reason); });
  });
}

/// Keeps LLVM's errors, which its default handler would print before it ends the process.
void keep_diagnostic(const llvm::DiagnosticInfo* diagnostic, void* errors) {
  if (diagnostic->getSeverity() != llvm::DS_Error) return;
  llvm::raw_string_ostream stream(*static_cast<std::string*>(errors));
  llvm::DiagnosticPrinterRawOStream printer(stream);
  diagnostic->print(printer);
}

Status failed(const std::string& kernel, const std::string& why) {
  return {ErrorCode::internal, "LLVM cannot compile kernel '" + kernel + "': " + why};
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine,
              const llvm::TargetLibraryInfoImpl& library) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager pipeline;
  pipeline.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  pipeline.addPass(llvm::EarlyCSEPass(true));
  pipeline.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                         /*UseMemorySSA=*/true));
  pipeline.addPass(llvm::SimplifyCFGPass());
  for (auto& function : module) {
    if (!function.isDeclaration()) pipeline.run(function, functions);
  }
}

Result<FlatCode> compile_in(llvm::LLVMContext& context, const Target& target,
                            const std::string& kernel,
                            const std::function<Status(llvm::Module&)>& build) {
  std::string errors;
  context.setDiagnosticHandlerCallBack(keep_diagnostic, &errors);
  std::string reason;
  const auto* registered = llvm::TargetRegistry::lookupTarget(kTriple, reason);
  if (!registered) return failed(kernel, reason);
  llvm::TargetOptions options;
  options.FunctionSections = false;
  std::unique_ptr<llvm::TargetMachine> machine(
      registered->createTargetMachine(kTriple, "x86-64", "", options, llvm::Reloc::PIC_,
                                      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine) return failed(kernel, "no code generator for " + target.text);

  llvm::Module module(kernel, context);
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  TENON_RETURN_IF_ERROR(build(module));
  llvm::raw_string_ostream stream(reason);
  if (llvm::verifyModule(module, &stream)) return failed(kernel, "malformed module: " + reason);

  llvm::TargetLibraryInfoImpl library{llvm::Triple(kTriple)};
  library.disableAllFunctions();
  optimise(module, *machine, library);

  llvm::SmallString<16384> object;
  {
    llvm::raw_svector_ostream output(object);
    llvm::legacy::PassManager generation;
    generation.add(new llvm::TargetLibraryInfoWrapperPass(library));
    if (machine->addPassesToEmitFile(generation, output, nullptr,
                                     llvm::CodeGenFileType::ObjectFile)) {
      return failed(kernel, "it emits no objects");
    }
    generation.run(module);
  }
  if (!errors.empty()) return failed(kernel, errors);
  return link_flat(std::as_bytes(std::span(object.data(), object.size())), kEntryName);
}

}  // namespace

Result<FlatCode> compile(const Target& target, const std::string& kernel,
                         const std::function<Status(llvm::Module&)>& build) {
  initialise();
  auto context = std::make_unique<llvm::LLVMContext>();
  try {
    return compile_in(*context, target, kernel, build);
  } catch (const LlvmFailure& failure) {
    // Destroying a context that LLVM left in the middle of its work may crash.
    (void)context.release();
    return failed(kernel, failure.what());
  } catch (const std::bad_alloc&) {
    (void)context.release();
    return Status(ErrorCode::out_of_memory, "no memory to compile kernel '" + kernel + "'");
  }
}

}  // namespace tenon::codegen
