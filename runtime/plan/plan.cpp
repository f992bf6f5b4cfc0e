// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan/plan.h"

#include "runtime/plan/verify.h"

namespace tenon::plan {
namespace {

Status fill(Plan& plan, bool verify_weights) {
  TENON_ASSIGN(plan.sections, read_container(plan.file.bytes(), verify_weights));
  TENON_ASSIGN(plan.meta, unpack_meta(plan.sections.meta));
  TENON_RETURN_IF_ERROR(
      verify_meta(*plan.meta, plan.sections.code.size(), plan.sections.weights.size()));
  if (!plan.sections.debug.empty()) {
    TENON_ASSIGN(plan.debug, unpack_debug(plan.sections.debug));
    TENON_RETURN_IF_ERROR(verify_debug(*plan.debug, *plan.meta));
  }
  return {};
}

}  // namespace

Result<Plan> open_plan(std::string name, MappedFile file, bool verify_weights) {
  Plan plan;
  plan.name = std::move(name);
  plan.file = std::move(file);
  TENON_RETURN_IF_ERROR(fill(plan, verify_weights).with_context(plan.name));
  return plan;
}

}  // namespace tenon::plan
