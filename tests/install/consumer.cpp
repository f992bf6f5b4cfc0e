// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime.h>

// Loads the plan that the caller names, and expects the library to answer, not to crash.
int main(int count, char** arguments) {
  const auto engine = tenon::Engine::load(count > 1 ? arguments[1] : "no such file");
  return engine.ok() == (count > 1) ? 0 : 1;
}
