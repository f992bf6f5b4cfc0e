// SPDX-License-Identifier: Apache-2.0
// Versions that a plan records and a runtime compares.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

inline constexpr std::string_view kTenonVersion = "0.1.0";

/// A runtime reads every plan of its own or an older major version; of a newer minor version, those
/// whose required-features word it knows.
inline constexpr uint16_t kPlanFormatMajor = 1;
inline constexpr uint16_t kPlanFormatMinor = 0;

/// Bits of the required-features word that this runtime knows: none so far.
inline constexpr uint64_t kKnownPlanFeatures = 0;

}  // namespace tenon
