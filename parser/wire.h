// SPDX-License-Identifier: Apache-2.0
// The 64-bit walk over a model's bytes. Protobuf copies bytes fields and ends at 2 GiB, so it is
// given only a skeleton: the same message with the elements of every tensor taken out.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenon::parser {

/// Elements that were taken out of a TensorProto: where they lie in the model's bytes.
struct Payload {
  int field =
      0;  ///< number of the TensorProto field: 9 is raw_data, the others are packed elements
  uint64_t offset = 0;
  uint64_t length = 0;
};

struct Skeleton {
  std::string message;  ///< a ModelProto whose tensors hold numbers into `payloads`
  std::vector<Payload> payloads;
  bool has_training_info = false;  ///< left out of the message
};

/// Walks the bytes of a ModelProto. Bytes that are no protobuf message are an error that gives the
/// offset; work and memory are linear in their number.
Result<Skeleton> make_skeleton(std::span<const std::byte> model);

/// Reads one base-128 number at `position` and moves past it; false when it is cut off or too long.
bool read_varint(std::span<const std::byte> bytes, uint64_t& position, uint64_t& value);

}  // namespace tenon::parser
