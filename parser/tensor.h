// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parser/model_file.h"
#include "parser/onnx.pb.h"

#include <tenon/network.h>
#include <tenon/status.h>

#include <optional>
#include <string>
#include <vector>

namespace tenon::parser {

/// The element type of an ONNX number, or why there is none.
Result<DataType> element_type(int32_t onnx_type);

/// The dims and elements of a tensor. They stay in the mapped file where they lie there as Tenon
/// wants them: raw little-endian bytes, aligned to their element. Everything else is decoded into
/// memory.
Result<TensorData> read_tensor(ModelFile& file, const tenon_onnx::TensorProto& tensor);

/// Elements of these dims; nothing when one is negative or the product is beyond any memory.
std::optional<int64_t> checked_element_count(const std::vector<int64_t>& dims);

/// "f32[3,4]"
std::string describe(DataType type, const std::vector<int64_t>& dims);

/// A tensor of the values, for constants that a node writes as a plain attribute.
TensorData tensor_of(const std::vector<int64_t>& values, std::vector<int64_t> dims);
TensorData tensor_of(const std::vector<float>& values, std::vector<int64_t> dims);

}  // namespace tenon::parser
