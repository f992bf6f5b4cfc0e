// SPDX-License-Identifier: Apache-2.0
#include "builder/codegen/cpu/machine_code.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <set>

namespace tenon::codegen {

namespace {

struct Line {
  uint64_t address = 0;
  int vector_bits = 0;
  std::string text;
};

struct Loop {
  uint64_t first = 0, last = 0;  // addresses of head and backward branch
  bool contains(const Loop& other) const {
    return first <= other.first && other.last <= last &&
           (first != other.first || last != other.last);
  }
};

int vector_bits(const llvm::MCInst& instruction, const llvm::MCRegisterInfo& registers) {
  int bits = 0;
  for (const auto& operand : instruction) {
    if (!operand.isReg() || !operand.getReg()) continue;
    llvm::StringRef name = registers.getName(operand.getReg());
    bits = std::max(bits, name.starts_with("ZMM")   ? 512
                          : name.starts_with("YMM") ? 256
                          : name.starts_with("XMM") ? 128
                                                    : 0);
  }
  return bits;
}

int hot_bits(const std::vector<Line>& lines, const std::vector<Loop>& loops) {
  int inside = 0, anywhere = 0;
  for (const auto& loop : loops) {
    bool innermost = std::none_of(loops.begin(), loops.end(),
                                  [&](const Loop& other) { return loop.contains(other); });
    for (const auto& line : lines) {
      if (innermost && line.address >= loop.first && line.address <= loop.last) {
        inside = std::max(inside, line.vector_bits);
      }
    }
  }
  for (const auto& line : lines) anywhere = std::max(anywhere, line.vector_bits);
  return loops.empty() ? anywhere : inside;
}

}  // namespace

Result<CodeListing> disassemble(const Target& target, const FlatCode& code) {
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string reason;
  const auto* registered = llvm::TargetRegistry::lookupTarget(triple.str(), reason);
  if (!registered) return Status(ErrorCode::internal, "no disassembler: " + reason);
  std::string features;
  for (const auto& feature : target.features) features += (features.empty() ? "+" : ",+") + feature;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(registered->createMCRegInfo(triple.str()));
  std::unique_ptr<llvm::MCAsmInfo> style(
      registered->createMCAsmInfo(*registers, triple.str(), options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(registered->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      registered->createMCSubtargetInfo(triple.str(), "x86-64", features));
  llvm::MCContext context(triple, style.get(), registers.get(), subtarget.get());
  std::unique_ptr<llvm::MCDisassembler> decoder(
      registered->createMCDisassembler(*subtarget, context));
  std::unique_ptr<llvm::MCInstrAnalysis> analysis(
      registered->createMCInstrAnalysis(instructions.get()));
  std::unique_ptr<llvm::MCInstPrinter> printer(
      registered->createMCInstPrinter(triple, 1, *style, *instructions, *registers));

  std::vector<Line> lines;
  std::vector<Loop> loops;
  std::set<uint64_t> labels;
  llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t*>(code.bytes.data()),
                                code.bytes.size());
  for (uint64_t at = code.text_begin; at < code.text_end;) {
    llvm::MCInst instruction;
    uint64_t size = 0;
    auto rest = bytes.slice(at, code.text_end - at);
    if (decoder->getInstruction(instruction, size, rest, at, llvm::nulls()) !=
        llvm::MCDisassembler::Success) {
      at += std::max<uint64_t>(size, 1);
      continue;
    }
    uint64_t branch_target = 0;
    if (analysis->isBranch(instruction) &&
        analysis->evaluateBranch(instruction, at, size, branch_target)) {
      labels.insert(branch_target);
      if (branch_target <= at) loops.push_back({branch_target, at});
    }
    Line line;
    line.address = at;
    line.vector_bits = vector_bits(instruction, *registers);
    llvm::raw_string_ostream stream(line.text);
    printer->printInst(&instruction, at, "", *subtarget, stream);
    lines.push_back(std::move(line));
    at += size;
  }
  CodeListing listing;
  listing.hot_vector_bits = hot_bits(lines, loops);
  for (const auto& line : lines) {
    if (labels.count(line.address)) listing.assembly += std::to_string(line.address) + ":\n";
    listing.assembly += line.text + "\n";
  }
  return listing;
}

}  // namespace tenon::codegen
