// SPDX-License-Identifier: Apache-2.0
// Definitions of ONNX operators that importing replaces by others.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

inline void define_import_only(OpDefinition& op, std::string name, std::string onnx, int64_t since,
                               std::string summary, Import import) {
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.kind = Kind::import_only;
  op.onnx_names = {{std::move(onnx), "", since, std::move(import)}};
}

}  // namespace tenon::ops
