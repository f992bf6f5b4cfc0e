// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ONNX model: a network or an error, never a crash. Seed it with samples/01_digits.
#include <tenon/parser.h>

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> model(reinterpret_cast<const std::byte*>(data), size);
  (void)tenon::parse_onnx(model);
  return 0;
}
