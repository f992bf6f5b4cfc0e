// SPDX-License-Identifier: Apache-2.0
#include "builder/tactics/candidates.h"

#include "builder/loop/constant_layouts.h"
#include "builder/loop/contraction_operand.h"
#include "builder/loop/rewrite.h"

namespace tenon::tactics {
namespace {

std::vector<ir::TensorType> buffer_types(const loop::Kernel& kernel) {
  std::vector<ir::TensorType> types;
  for (const loop::Buffer& buffer : kernel.buffers) types.push_back(buffer.type);
  return types;
}

/// The register-tile schedules of a kernel that is a contraction, else the reason why not.
Status add_contractions(const loop::Kernel& kernel, const loop::VectorUnit& unit,
                        std::vector<Candidate>& list) {
  // Groups become axes first; then neighbouring pixels of a 1x1 convolution become one long row axis.
  loop::Kernel prepared = kernel;
  loop::split_group_axes(prepared);
  const std::vector<ir::TensorType> storage = buffer_types(prepared);
  loop::collapse_axes(prepared);
  const Result<loop::Contraction> contraction = loop::match_contraction(prepared);
  if (!contraction.ok()) return contraction.status();
  Status last;
  for (const loop::Schedule& schedule : loop::contraction_schedules(prepared, *contraction, unit)) {
    Candidate candidate{prepared, schedule, storage};
    if (schedule.packed) {
      last = loop::pack_constant_operand(candidate.kernel, *contraction, schedule.vector_elements);
      if (!last.ok()) continue;
      const int operand = loop::loaded(contraction->vector)->id;
      candidate.storage[operand] = candidate.kernel.buffers[operand].type;
    }
    list.push_back(std::move(candidate));
  }
  return list.empty() ? last : Status();
}

}  // namespace

CandidateList candidates(const loop::Kernel& kernel, const loop::VectorUnit& unit) {
  CandidateList list;
  if (const Status status = add_contractions(kernel, unit, list.candidates); !status.ok()) {
    list.rejections.push_back("contraction: " + status.message());
  }
  Candidate general{kernel, {}, {}};
  loop::lay_out_constants(general.kernel);
  general.storage = buffer_types(general.kernel);
  loop::collapse_axes(general.kernel);
  general.schedule = loop::general_schedule(general.kernel, unit);
  list.candidates.push_back(std::move(general));
  return list;
}

}  // namespace tenon::tactics
