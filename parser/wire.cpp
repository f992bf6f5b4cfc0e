// SPDX-License-Identifier: Apache-2.0
#include "parser/wire.h"

#include <limits>

namespace tenon::parser {
namespace {

/// The messages on the way from a model to its tensors. All others are copied as they are.
enum class Message : uint8_t {
  opaque,
  model,
  graph,
  node,
  function,
  attribute,
  sparse_tensor,
  tensor,
  training_info,
  payload
};

/// What field `number` of a message holds, as far as the walk cares.
Message field_of(Message message, uint64_t number) {
  switch (message) {
    case Message::model:
      if (number == 7) return Message::graph;
      if (number == 20) return Message::training_info;
      if (number == 25) return Message::function;
      break;
    case Message::graph:
      if (number == 1) return Message::node;
      if (number == 5) return Message::tensor;
      if (number == 15) return Message::sparse_tensor;
      break;
    case Message::node:
      if (number == 5) return Message::attribute;
      break;
    case Message::function:
      if (number == 7) return Message::node;
      if (number == 11) return Message::attribute;
      break;
    case Message::attribute:
      if (number == 5 || number == 10) return Message::tensor;
      if (number == 6 || number == 11) return Message::graph;
      if (number == 22 || number == 23) return Message::sparse_tensor;
      break;
    case Message::sparse_tensor:
      if (number == 1 || number == 2) return Message::tensor;
      break;
    case Message::tensor:
      if (number == 4 || number == 5 || number == 7 || (number >= 9 && number <= 11)) {
        return Message::payload;
      }
      break;
    default:
      break;
  }
  return Message::opaque;
}

constexpr uint64_t kPayloadMark = 1000;
/// As deep as protobuf itself goes.
constexpr int kMaximumDepth = 100;
constexpr uint64_t kMaximumSkeleton = std::numeric_limits<int32_t>::max();

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

class Walk {
 public:
  explicit Walk(std::span<const std::byte> model) : model_(model) {}

  Result<Skeleton> run() {
    TENON_RETURN_IF_ERROR(message(Message::model, 0, model_.size(), 0, skeleton_.message));
    return std::move(skeleton_);
  }

 private:
  static Status malformed(uint64_t offset, const std::string& what) {
    return Status(ErrorCode::invalid_model, "not an ONNX model, or a damaged one: " + what +
                                                " at byte " + std::to_string(offset));
  }

  void append(std::string& out, uint64_t begin, uint64_t end) const {
    out.append(reinterpret_cast<const char*>(model_.data()) + begin, end - begin);
  }

  Status message(Message kind, uint64_t begin, uint64_t end, int depth, std::string& out) {
    if (depth > kMaximumDepth) return malformed(begin, "messages nested too deeply");
    const std::span<const std::byte> bytes = model_.first(end);
    for (uint64_t position = begin; position < end;) {
      const uint64_t start = position;
      uint64_t tag = 0;
      if (!read_varint(bytes, position, tag) || tag > std::numeric_limits<uint32_t>::max()) {
        return malformed(start, "no field tag");
      }
      const uint64_t number = tag >> 3;
      if (number == 0) return malformed(start, "field number 0");
      if ((tag & 7) == kLengthDelimited) {
        uint64_t length = 0;
        if (!read_varint(bytes, position, length) || length > end - position) {
          return malformed(start, "a field longer than what is left");
        }
        TENON_RETURN_IF_ERROR(
            delimited(kind, number, tag, start, position, position + length, depth, out));
        position += length;
      } else {
        TENON_RETURN_IF_ERROR(skip_scalar(bytes, tag & 7, start, position));
        // A mark in the file itself would point anywhere.
        if (kind != Message::tensor || number != kPayloadMark) append(out, start, position);
      }
      if (out.size() > kMaximumSkeleton) {
        return Status(ErrorCode::unsupported,
                      "not supported yet: more than 2 GiB of model besides the tensors' elements");
      }
    }
    return {};
  }

  static Status skip_scalar(std::span<const std::byte> bytes, uint64_t wire_type, uint64_t start,
                            uint64_t& position) {
    uint64_t size = 0;
    switch (wire_type) {
      case kVarint:
        if (!read_varint(bytes, position, size)) return malformed(start, "a number cut off");
        return {};
      case kFixed64:
        size = 8;
        break;
      case kFixed32:
        size = 4;
        break;
      default:
        return malformed(start, "an unknown wire type");
    }
    if (size > bytes.size() - position) return malformed(start, "a number cut off");
    position += size;
    return {};
  }

  Status delimited(Message kind, uint64_t number, uint64_t tag, uint64_t start, uint64_t begin,
                   uint64_t end, int depth, std::string& out) {
    const Message field = field_of(kind, number);
    switch (field) {
      case Message::opaque:
        if (kind != Message::tensor || number != kPayloadMark) append(out, start, end);
        return {};
      case Message::training_info:
        skeleton_.has_training_info = true;
        return {};
      case Message::payload:
        append_varint(out, kPayloadMark << 3 | kVarint);
        append_varint(out, skeleton_.payloads.size());
        skeleton_.payloads.push_back({static_cast<int>(number), begin, end - begin});
        return {};
      default: {
        std::string inner;
        TENON_RETURN_IF_ERROR(message(field, begin, end, depth + 1, inner));
        append_varint(out, tag);
        append_varint(out, inner.size());
        out += inner;
        return {};
      }
    }
  }

  std::span<const std::byte> model_;
  Skeleton skeleton_;
};

}  // namespace

bool read_varint(std::span<const std::byte> bytes, uint64_t& position, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && position < bytes.size(); shift += 7) {
    const uint64_t byte = std::to_integer<uint64_t>(bytes[position++]);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

Result<Skeleton> make_skeleton(std::span<const std::byte> model) { return Walk(model).run(); }

}  // namespace tenon::parser
