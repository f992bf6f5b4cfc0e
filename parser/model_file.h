// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parser/external_data.h"
#include "parser/onnx.pb.h"
#include "parser/wire.h"

#include <tenon/status.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tenon::parser {

/// A model's bytes and its skeleton, which refers to them.
struct ModelFile {
  tenon_onnx::ModelProto proto;   ///< without the elements of tensors
  std::vector<Payload> payloads;  ///< where they are in `bytes`
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  ///< keeps `bytes` alive; null when the caller does
  ExternalFolder external;
  bool has_training_info = false;

  static Result<std::unique_ptr<ModelFile>> open(const std::string& path);
  static Result<std::unique_ptr<ModelFile>> from_memory(std::span<const std::byte> bytes);
};

}  // namespace tenon::parser
