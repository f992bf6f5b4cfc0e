// SPDX-License-Identifier: Apache-2.0
// The ways to run a kernel.
#pragma once

#include "builder/loop/contraction.h"
#include "builder/loop/kernel.h"
#include "builder/loop/schedule.h"

#include <string>
#include <vector>

namespace tenon::tactics {

/// A schedule with the kernel it applies to: scheduling merges axes and packs constants.
struct Candidate {
  loop::Kernel kernel;
  loop::Schedule schedule;
  /// How each buffer lies in memory; the kernel may see a flattened view of it.
  std::vector<ir::TensorType> storage;
};

struct CandidateList {
  std::vector<Candidate> candidates;     ///< the best guess first; the general kernel last, always
  std::vector<std::string> rejections;   ///< why a family is not among them, in words
};

CandidateList candidates(const loop::Kernel& kernel, const loop::VectorUnit& unit);

}  // namespace tenon::tactics
