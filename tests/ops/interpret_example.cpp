// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/interpret_example.h"

#include "builder/loop/interpret.h"
#include "builder/passes/lower_group.h"

namespace tenon::test {

Result<std::vector<ops::ReferenceTensor>> interpret_example(const OperatorExample& example) {
  TENON_ASSIGN(loop::Kernel kernel, passes::lower_group(*example.node));
  std::vector<std::vector<std::byte>> bytes;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    if (!example.node->input(static_cast<int>(i))) continue;
    const TensorData data = ops::to_tensor_data(example.operands[i]);
    bytes.emplace_back(data.bytes.begin(), data.bytes.end());
  }
  const size_t first_result = bytes.size();
  for (const auto& result : example.results) {
    bytes.emplace_back(byte_size(result.type, result.count()), std::byte{0xa5});
  }
  std::vector<std::span<std::byte>> buffers(bytes.begin(), bytes.end());
  TENON_RETURN_IF_ERROR(loop::interpret(kernel, example.symbols, buffers));
  std::vector<ops::ReferenceTensor> results;
  for (size_t i = 0; i < example.results.size(); ++i) {
    const auto& result = example.results[i];
    results.push_back(ops::to_reference(
        TensorData{result.type, result.dims, buffers[first_result + i], nullptr}));
  }
  return results;
}

}  // namespace tenon::test
