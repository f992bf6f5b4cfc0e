// SPDX-License-Identifier: Apache-2.0
// Writes plans: the same parts give the same bytes.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tenon::plan {

struct MetaT;
struct DebugT;

/// Takes bytes of a weight, piece by piece in order.
using ByteSink = std::function<Status(std::span<const std::byte>)>;

/// A weight at its place in the WEIGHTS section. The gaps between weights are zero.
struct WeightPart {
  uint64_t offset = 0;  ///< a multiple of 64; parts are in rising order and do not overlap
  uint64_t size = 0;
  std::span<const std::byte> bytes;                ///< the content, unless `produce` is given
  std::function<Status(const ByteSink&)> produce;  ///< hands over exactly `size` bytes
};

/// What a plan is made of. All that is referred to outlives the call.
struct PlanParts {
  const MetaT* meta = nullptr;
  std::span<const std::byte> code;
  std::vector<WeightPart> weights;
  const DebugT* debug = nullptr;  ///< null: a plan without debug information
};

/// The plan's bytes. The parts are verified as a load would; what it rejects is an internal error.
Result<std::vector<std::byte>> write_plan(const PlanParts& parts);

/// Writes the plan beside `path` and renames it when complete: never half a file, nothing left over
/// after a failure. Holds one weight piece in memory at a time.
Status write_plan_file(const std::string& path, const PlanParts& parts);

}  // namespace tenon::plan
