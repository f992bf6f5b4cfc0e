// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builder/ir/graph.h"

#include <tenon/status.h>

#include <optional>
#include <vector>

namespace tenon::passes {

/// y = contraction(x, weights) + bias, for conv and gemm with constant float weights, by output channel.
struct ContractionOperands {
  ir::Node* node = nullptr;
  int channel_axis = 1;  ///< of the output
  int weights_channel_axis = 0;
  int64_t channels = 0;
  std::vector<double> bias;     ///< for each channel, gemm's beta applied; zeros when there is none
};

/// The operands when `value` is the output of such a contraction and it has no other use.
std::optional<ContractionOperands> match_contraction_operands(const ir::Value* value);

/// One number for each of `channels` along `axis` of `shape`, when `value` is a constant that broadcasts
/// to the shape and varies along no other axis.
std::optional<std::vector<double>> per_channel(const ir::Value* value, const ir::Shape& shape, int axis,
                                               int64_t channels);

/// Gives the contraction weights times their channel's `scale` (when given), and `bias`. False, and nothing
/// changes, when a product or a bias leaves the range of the element type.
bool set_operands(const ContractionOperands& operands, const std::vector<double>* scale,
                  const std::vector<double>& bias);

}  // namespace tenon::passes
