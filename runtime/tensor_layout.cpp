// SPDX-License-Identifier: Apache-2.0
// Physical layouts of tensors, for the tensor callback.
#include <cstring>

#include "runtime/context_implementation.h"

namespace tenon::runtime {
namespace {

size_t memory_axis(const plan::DebugTensorT& layout, size_t position) {
  return layout.permutation.empty() ? position : static_cast<size_t>(layout.permutation[position]);
}

void copy_element(int bits, const std::byte* in, int64_t from, std::byte* out, int64_t to) {
  if (bits >= 8) {
    const auto size = static_cast<size_t>(bits / 8);
    std::memcpy(out + static_cast<size_t>(to) * size, in + static_cast<size_t>(from) * size, size);
    return;
  }
  // Packed, first element in the low bits; `out` begins as zero.
  const int64_t each = 8 / bits;
  const auto mask = static_cast<std::byte>((1 << bits) - 1);
  const std::byte value = (in[from / each] >> (from % each * bits)) & mask;
  out[to / each] |= value << (to % each * bits);
}

}  // namespace

std::vector<int64_t> layout_strides(const plan::DebugTensorT& layout,
                                    std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t position = dims.size(); position-- > 0;) {
    const size_t axis = memory_axis(layout, position);
    strides[axis] = stride;
    stride *= dims[axis];
  }
  return strides;
}

void unpack_blocks(const plan::DebugTensorT& layout, std::span<const int64_t> dims,
                   const std::byte* in, std::byte* out) {
  const size_t rank = dims.size(), blocks = layout.block_axes.size();
  const int bits = bit_width(static_cast<DataType>(layout.type));
  // Sizes in memory order: the axes as blocks have divided them, then the blocks.
  std::vector<int64_t> outer(dims.begin(), dims.end());
  for (size_t k = 0; k < blocks; ++k) {
    int64_t& size = outer[static_cast<size_t>(layout.block_axes[k])];
    size = (size + layout.block_sizes[k] - 1) / layout.block_sizes[k];
  }
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  std::vector<int64_t> index(rank), inner(blocks);
  for (int64_t element = 0; element < count; ++element) {
    int64_t rest = element;
    for (size_t axis = rank; axis-- > 0;) {
      index[axis] = rest % dims[axis];
      rest /= dims[axis];
    }
    // The last block of an axis holds its finest part.
    for (size_t k = blocks; k-- > 0;) {
      int64_t& i = index[static_cast<size_t>(layout.block_axes[k])];
      inner[k] = i % layout.block_sizes[k];
      i /= layout.block_sizes[k];
    }
    int64_t position = 0;
    for (size_t p = 0; p < rank; ++p) {
      const size_t axis = memory_axis(layout, p);
      position = position * outer[axis] + index[axis];
    }
    for (size_t k = 0; k < blocks; ++k) position = position * layout.block_sizes[k] + inner[k];
    copy_element(bits, in, position, out, element);
  }
}

}  // namespace tenon::runtime
