// SPDX-License-Identifier: Apache-2.0
// The text form of attributes and of the payload of constants.
#pragma once

#include "builder/ir/graph.h"
#include "builder/ir/scanner.h"
#include "builder/ir/text.h"

#include <string>

namespace tenon::ir {

/// Constants of up to this many bytes print inline.
inline constexpr size_t kInlineBytes = 64;

/// "[1,2.5]", or "#" and the content hash; then the tensor goes into `constants` when given.
/// `elements`: how many the type says. Another number of bytes always prints as a hash.
std::string payload_to_string(const TensorData& data, std::optional<int64_t> elements,
                              ConstantFile* constants);
/// The tensor with the payload that comes next.
Result<TensorData> parse_payload(Scanner& scanner, DataType type, std::vector<int64_t> dims,
                                 std::optional<int64_t> elements, const ConstantFile* constants);

/// "{axis=1, scale=1.0}"
std::string attributes_to_string(const Attributes& attributes, ConstantFile* constants);
Result<Attributes> parse_attributes(Scanner& scanner, const ConstantFile* constants);

}  // namespace tenon::ir
