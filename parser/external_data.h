// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parser/mapped_file.h"
#include "parser/onnx.pb.h"

#include <tenon/network.h>
#include <tenon/status.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon::parser {

/// The files beside a model that hold its larger tensors. Each is mapped once.
class ExternalFolder {
 public:
  /// Of a model in memory: has no folder, so every external tensor is refused.
  ExternalFolder() = default;
  explicit ExternalFolder(const std::string& model_path);

  /// The bytes of a tensor whose data_location is EXTERNAL. `size` is what its type and dims need.
  /// The file must lie in the model's folder: a model is input, and must not name files elsewhere.
  Result<TensorData> read(const tenon_onnx::TensorProto& tensor, int64_t size);

 private:
  Result<std::shared_ptr<const MappedFile>> open(const std::string& location);

  std::vector<std::filesystem::path> roots_;
  std::filesystem::path folder_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace tenon::parser
