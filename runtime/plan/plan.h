// SPDX-License-Identifier: Apache-2.0
// A plan in memory, verified.
#pragma once

#include <tenon/status.h>

#include <memory>
#include <string>

#include "runtime/base/mapped_file.h"
#include "runtime/plan/container.h"
#include "runtime/plan/debug_generated.h"
#include "runtime/plan/meta_generated.h"

namespace tenon::plan {

struct Plan {
  std::string name;  ///< the file's path, or "plan"; in front of every error
  MappedFile file;
  Sections sections;  ///< parts of the file
  std::unique_ptr<MetaT> meta;
  std::unique_ptr<DebugT> debug;  ///< null in a stripped plan
};

/// Opens the file's sections and verifies them. Says nothing of whether this machine can run it.
Result<Plan> open_plan(std::string name, MappedFile file, bool verify_weights);

}  // namespace tenon::plan
