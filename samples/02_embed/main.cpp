// SPDX-License-Identifier: Apache-2.0
// Loads the plan of sample 01 and reads one drawn digit. Links only libtenon_runtime.
#include <tenon/runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s digits.plan\n", arguments[0]);
    return 1;
  }
  const std::array<std::string_view, 8> drawing = {
      "  .##.  ",  //
      " .#..#. ",  //
      " ##  ## ",  //
      " #.  ## ",  //
      " #.  ## ",  //
      " ##  #. ",  //
      "  #..#. ",  //
      "  .##.  ",
  };
  std::vector<float> image;
  for (std::string_view row : drawing)
    for (char ink : row) image.push_back(ink == '#' ? 1.0F : ink == '.' ? 0.5F : 0.0F);

  tenon::Engine engine = tenon::Engine::load(arguments[1]).value();
  tenon::Context context = engine.create_context().value();
  std::array<float, 10> probabilities = {};
  const std::array<int64_t, 4> dims = {1, 1, 8, 8};
  context.set_input("image", image.data(), dims).value();
  context.set_output("probabilities", probabilities.data(), sizeof(probabilities)).value();
  context.run().value();

  const auto best = std::max_element(probabilities.begin(), probabilities.end());
  for (std::string_view row : drawing) std::printf("  %.*s\n", 8, row.data());
  std::printf("reads as %d with probability %.3f\n", static_cast<int>(best - probabilities.begin()),
              *best);
}
