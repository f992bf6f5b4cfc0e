// SPDX-License-Identifier: Apache-2.0
// Tensors from and to files, by the name of a model's input or output.
#pragma once

#include <tenon/network.h>
#include <tenon/status.h>

#include <map>
#include <string>
#include <vector>

namespace tenon::tools {

using Tensors = std::map<std::string, TensorData>;

/// Reads each `--input NAME=FILE.npy`.
Result<Tensors> read_inputs(const std::vector<std::string>& arguments);

/// FOLDER/NAME.npy, where '/' of the name becomes '_'.
std::string output_path(const std::string& folder, const std::string& name);

}  // namespace tenon::tools
