// SPDX-License-Identifier: Apache-2.0
// Any text as a graph: an error, or a graph whose text parses back to the same. Seed it with
// tests/golden.
#include "builder/ir/text.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto graph = tenon::ir::parse(std::string(reinterpret_cast<const char*>(data), size));
  if (!graph.ok()) return 0;
  tenon::ir::ConstantFile constants;
  const std::string text = tenon::ir::print(*graph, &constants);
  const auto again = tenon::ir::parse(text, &constants);
  if (!again.ok() || tenon::ir::print(*again) != text) std::abort();
  return 0;
}
