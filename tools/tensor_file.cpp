// SPDX-License-Identifier: Apache-2.0
#include "tools/tensor_file.h"

#include "tools/npy.h"
#include "tools/session.h"
#include "tools/shape_argument.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::tools {

Result<Tensors> read_inputs(const std::vector<std::string>& arguments) {
  Tensors tensors;
  for (const std::string& argument : arguments) {
    TENON_ASSIGN(auto parts, split_argument(argument, "--input", "NAME=FILE.npy"));
    const auto& [name, path] = parts;
    if (path.ends_with(".pb")) {
      return not_supported_yet(
          fmt::format("tensors in .pb files ({}); save {} as .npy", path, name));
    }
    Result<TensorData> tensor = read_npy(path);
    if (!tensor.ok()) return tensor.status().with_context(fmt::format("input \"{}\"", name));
    if (!tensors.emplace(name, *std::move(tensor)).second) {
      return Status(ErrorCode::bad_argument, fmt::format("--input: \"{}\" is given twice", name));
    }
  }
  return tensors;
}

std::string output_path(const std::string& folder, const std::string& name) {
  std::string file = name;
  std::replace(file.begin(), file.end(), '/', '_');
  return fmt::format("{}/{}.npy", folder, file);
}

}  // namespace tenon::tools
