// SPDX-License-Identifier: Apache-2.0
// The text form of graphs, which parses back: parse(print(g)) prints the same.
#pragma once

#include "builder/ir/graph.h"

#include <tenon/status.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace tenon::ir {

/// Bytes of constants too large to print inline (over 64 bytes), by content hash (32 hex digits).
using ConstantFile = std::map<std::string, TensorData>;

///   graph @digits {
///     %0 "image" = input : f32[N,1,8,8]   where 1<=N<=64 opt 8
///     %1 "w" = const : f32[16,1,3,3] #<hash>          (small ones: = const : f32[2] [1,2.5])
///     %2 "c" = conv(%0, %1, _) {pads=[1,1,1,1]} : f32[N,16,8,8]:nhwc from("Conv_0")
///     %4 = group(%2) (%3 : f32[N,16,8,8]:nhwc) { ... return %5 } : f32[N,16,8,8]:nhwc
///     output "logits" = %4
///   }
/// Values are numbered in print order; `_` is an input left out; attributes are sorted; strings
/// escaped; NaN, inf and -inf are written as such; floats with as many digits as bring the same
/// bits back. `constants`: receives the large constants when given.
std::string print(const Graph& graph, ConstantFile* constants = nullptr);

/// The graph of a text, or the line and column of what is wrong. A hash that `constants` lacks is
/// an error, unless `constants` is null: then such a constant is filled with zeros.
Result<Graph> parse(std::string_view text, const ConstantFile* constants = nullptr);

}  // namespace tenon::ir
