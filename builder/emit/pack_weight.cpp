// SPDX-License-Identifier: Apache-2.0
#include "builder/emit/pack_weight.h"

#include <cstring>
#include <numeric>

namespace tenon::emit {
namespace {

/// Offset in physical elements that position `i` of each logical axis adds. Every axis adds on its own:
/// a block splits a position into a part for the outer and one for the innermost stride.
std::vector<std::vector<int64_t>> axis_offsets(const ir::TensorType& type,
                                               const std::vector<int64_t>& dims) {
  const std::vector<int64_t> physical = ir::static_dims(ir::physical_dims(type.layout, type.shape));
  std::vector<int64_t> strides(physical.size(), 1);
  for (size_t i = physical.size(); i-- > 1;) strides[i - 1] = strides[i] * physical[i];
  std::vector<int> order = type.layout.permutation;
  if (order.empty()) {
    order.resize(dims.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::vector<std::vector<int64_t>> offsets(dims.size());
  for (size_t place = 0; place < order.size(); ++place) {
    const int axis = order[place];
    for (int64_t position = 0; position < dims[axis]; ++position) {
      int64_t rest = position, offset = 0;
      for (size_t block = type.layout.blocks.size(); block-- > 0;) {
        if (type.layout.blocks[block].axis != axis) continue;
        const int64_t size = type.layout.blocks[block].size;
        offset += rest % size * strides[order.size() + block];
        rest /= size;
      }
      offsets[axis].push_back(offset + rest * strides[place]);
    }
  }
  return offsets;
}

template <typename Element>
void scatter(const std::byte* from, std::byte* to, const std::vector<std::vector<int64_t>>& offsets,
             size_t axis, int64_t base, int64_t& next) {
  if (axis + 1 >= offsets.size()) {
    static const std::vector<int64_t> kScalar = {0};
    for (int64_t offset : offsets.empty() ? kScalar : offsets[axis]) {
      std::memcpy(to + (base + offset) * sizeof(Element), from + next * sizeof(Element), sizeof(Element));
      ++next;
    }
    return;
  }
  for (int64_t offset : offsets[axis]) scatter<Element>(from, to, offsets, axis + 1, base + offset, next);
}

}  // namespace

bool is_packed(const TensorData&, const ir::TensorType& type) { return type.layout.natural(); }

Result<std::vector<std::byte>> pack_weight(const TensorData& data, const ir::TensorType& type) {
  const std::vector<int64_t> dims = ir::static_dims(type.shape);
  const int64_t count = ir::physical_elements(type.layout, type.shape).constant();
  const int bits = bit_width(type.type);
  int64_t elements = 1;
  for (int64_t dim : dims) elements *= dim;
  if (data.type != type.type ||
      byte_size(type.type, elements) != static_cast<int64_t>(data.bytes.size())) {
    return Status(ErrorCode::internal, "a constant was scheduled as " + ir::to_string(type) +
                                           ", which its bytes do not fit");
  }
  std::vector<std::byte> packed(byte_size(type.type, count));
  if (elements == 0) return packed;
  if (type.layout.natural()) {
    std::memcpy(packed.data(), data.bytes.data(), data.bytes.size());
    return packed;
  }
  const auto offsets = axis_offsets(type, dims);
  int64_t next = 0;
  switch (bits) {
    case 64: scatter<uint64_t>(data.bytes.data(), packed.data(), offsets, 0, 0, next); break;
    case 32: scatter<uint32_t>(data.bytes.data(), packed.data(), offsets, 0, 0, next); break;
    case 16: scatter<uint16_t>(data.bytes.data(), packed.data(), offsets, 0, 0, next); break;
    case 8: scatter<uint8_t>(data.bytes.data(), packed.data(), offsets, 0, 0, next); break;
    default:
      return Status(ErrorCode::unsupported, "not supported yet: constants of " +
                                                std::string(tenon::to_string(type.type)) +
                                                " in another layout than the natural one");
  }
  return packed;
}

}  // namespace tenon::emit
