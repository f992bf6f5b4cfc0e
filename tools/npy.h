// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files, versions 1 to 3.
#pragma once

#include <tenon/network.h>
#include <tenon/status.h>

#include <string>

namespace tenon::tools {

/// Reads a C-ordered little-endian array. The file stays mapped as long as the tensor lives.
Result<TensorData> read_npy(const std::string& path);

/// Writes version 1. Types that NumPy lacks (bf16) are refused.
Status write_npy(const std::string& path, const TensorData& tensor);

}  // namespace tenon::tools
