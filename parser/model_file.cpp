// SPDX-License-Identifier: Apache-2.0
#include "parser/model_file.h"

namespace tenon::parser {
namespace {

Status read_skeleton(ModelFile& file) {
  if (file.bytes.empty()) return Status(ErrorCode::invalid_model, "not an ONNX model: it is empty");
  TENON_ASSIGN(Skeleton skeleton, make_skeleton(file.bytes));
  // The walk saw every field's extent, so what is left to go wrong is a field of the wrong wire
  // type.
  if (!file.proto.ParseFromArray(skeleton.message.data(),
                                 static_cast<int>(skeleton.message.size()))) {
    return Status(ErrorCode::invalid_model, "not an ONNX model, or a damaged one");
  }
  if (!file.proto.has_graph()) {
    return Status(ErrorCode::invalid_model, "not an ONNX model: it has no graph");
  }
  file.payloads = std::move(skeleton.payloads);
  file.has_training_info = skeleton.has_training_info;
  return {};
}

}  // namespace

Result<std::unique_ptr<ModelFile>> ModelFile::open(const std::string& path) {
  TENON_ASSIGN(const std::shared_ptr<const MappedFile> mapping, MappedFile::open(path));
  auto file = std::make_unique<ModelFile>();
  file->bytes = mapping->bytes();
  file->owner = mapping;
  file->external = ExternalFolder(path);
  TENON_RETURN_IF_ERROR(read_skeleton(*file).with_context(path));
  return file;
}

Result<std::unique_ptr<ModelFile>> ModelFile::from_memory(std::span<const std::byte> bytes) {
  auto file = std::make_unique<ModelFile>();
  file->bytes = bytes;
  TENON_RETURN_IF_ERROR(read_skeleton(*file));
  return file;
}

}  // namespace tenon::parser
