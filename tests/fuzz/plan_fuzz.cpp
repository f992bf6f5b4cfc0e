// SPDX-License-Identifier: Apache-2.0
// Any bytes as a plan: loaded or refused, never a crash. The checksums reject most mutations, so this
// finds what is wrong before and in them; tests/runtime mutates plans with their checksums recomputed.
#include <tenon/runtime.h>

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tenon::EngineOptions options;
  options.threads = 1;
  const std::span<const std::byte> plan(reinterpret_cast<const std::byte*>(data), size);
  if (const auto engine = tenon::Engine::load_from_memory(plan, options); engine.ok()) {
    (void)engine->create_context();
  }
  return 0;
}
