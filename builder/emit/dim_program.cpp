// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/dim_program.h"

namespace tenon::emit {

uint32_t DimProgram::add(plan::DimOp op, int64_t a, int64_t b) {
  instructions_.emplace_back(op, a, b);
  return static_cast<uint32_t>(instructions_.size() - 1);
}

uint32_t DimProgram::atom(const ir::DimAtom& atom) {
  if (atom.kind == ir::DimAtom::Kind::symbol) {
    return add(plan::DimOp::symbol, symbols_.at(atom.name));
  }
  const uint32_t a = number(atom.a), b = number(atom.b);
  switch (atom.kind) {
    case ir::DimAtom::Kind::floor_div: return add(plan::DimOp::floor_div, a, b);
    case ir::DimAtom::Kind::mod: return add(plan::DimOp::mod, a, b);
    case ir::DimAtom::Kind::minimum: return add(plan::DimOp::minimum, a, b);
    default: return add(plan::DimOp::maximum, a, b);
  }
}

uint32_t DimProgram::number(const ir::Dim& dim) {
  if (const auto known = numbers_.find(dim); known != numbers_.end()) return known->second;
  uint32_t sum = kNoDim;
  const auto add_term = [&](uint32_t term) {
    sum = sum == kNoDim ? term : add(plan::DimOp::add, sum, term);
  };
  for (const auto& [product, coefficient] : dim.terms()) {
    uint32_t value = kNoDim;
    for (const ir::DimAtomPointer& factor : product) {
      const uint32_t next = atom(*factor);
      value = value == kNoDim ? next : add(plan::DimOp::multiply, value, next);
    }
    if (coefficient != 1) {
      value = add(plan::DimOp::multiply, value, add(plan::DimOp::constant, coefficient));
    }
    add_term(value);
  }
  if (dim.constant() != 0 || sum == kNoDim) add_term(add(plan::DimOp::constant, dim.constant()));
  numbers_[dim] = sum;
  return sum;
}

}  // namespace tenon::emit
