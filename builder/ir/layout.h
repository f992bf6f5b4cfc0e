// SPDX-License-Identifier: Apache-2.0
// Where the elements of a tensor lie in memory.
#pragma once

#include "builder/ir/dim.h"

#include <tenon/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon::ir {

/// Memory order of a logical shape: a permutation of the axes (outermost first), then blocks.
/// `blocks` split axes: each {axis, size} adds an innermost axis of `size` and turns that axis into
/// ceil_div(dim, size); the lanes beyond the dim hold zero. Blocks are in memory order, the last is
/// innermost; of several on one axis, the last holds the finest part of its index. An empty
/// permutation is the natural, row-major order.
///   nhwc of [N,C,H,W]:            permutation {0,2,3,1}
///   nchw16:                       permutation {0,1,2,3}, blocks {{1,16}}
/// Prints as "nhwc" for {0,2,3,1} and "nwc", "ndhwc" for its 3-D and 5-D kin, else as
/// "perm(0,2,3,1)" with "/block(1:16)" behind it; natural prints as nothing.
struct Layout {
  struct Block {
    int axis = 0;
    int64_t size = 1;
    bool operator==(const Block&) const = default;
  };
  std::vector<int> permutation;
  std::vector<Block> blocks;

  bool natural() const { return permutation.empty() && blocks.empty(); }
  bool operator==(const Layout&) const = default;

  /// Channels innermost for a tensor of this rank (>= 3): axis 1 last.
  static Layout channels_last(int rank);
};

std::string to_string(const Layout& layout, int rank);
Result<Layout> parse_layout(std::string_view text, int rank);
/// A permutation must be one of 0..rank-1, block axes in range, block sizes > 1.
Status verify_layout(const Layout& layout, int rank);

/// The stored shape: permuted dims (blocked ones divided), then the block sizes.
std::vector<Dim> physical_dims(const Layout& layout, const std::vector<Dim>& shape);
/// Elements in memory, padding included.
Dim physical_elements(const Layout& layout, const std::vector<Dim>& shape);
/// Element stride of each logical axis in a layout without blocks.
std::vector<Dim> strides(const Layout& layout, const std::vector<Dim>& shape);

}  // namespace tenon::ir
