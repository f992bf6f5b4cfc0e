// SPDX-License-Identifier: Apache-2.0
// Small networks of random operators, as models have them.
#pragma once

#include <tenon/data_type.h>
#include <tenon/network.h>

#include <cstdint>

namespace tenon::testing_support {

/// A network of one image "x" [N,C,H,W] or row of features "x" [N,C], with 3 to 12 operators on it,
/// and one to three outputs. The same seed gives the same network.
Network random_network(uint32_t seed, DataType type);

}  // namespace tenon::testing_support
