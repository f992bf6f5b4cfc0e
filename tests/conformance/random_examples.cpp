// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/random_examples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace tenon::conformance {
namespace {

using Random = std::mt19937_64;
using Dims = std::vector<int64_t>;

/// Around the widths of registers and tiles.
int64_t size(Random& random) {
  constexpr std::array<int64_t, 12> kSizes = {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 65};
  return kSizes[random() % kSizes.size()];
}

std::string float_type(Random& random) {
  constexpr std::array<const char*, 5> kTypes = {"f32", "f32", "f16", "bf16", "f64"};
  return kTypes[random() % kTypes.size()];
}

std::string tensor(const std::string& type, const Dims& dims) {
  return fmt::format("{}[{}]", type, fmt::join(dims, ","));
}

std::string matmul(Random& random) {
  const std::string type = random() % 5 == 0 ? "i32" : float_type(random);
  const int64_t m = size(random), k = size(random), n = size(random);
  Dims a = {m, k}, b = {k, n};
  if (random() % 3 == 0) a.insert(a.begin(), 3);
  if (a.size() == 3 && random() % 2 == 0) b.insert(b.begin(), 3);
  return tensor(type, a) + " " + tensor(type, b);
}

std::string conv(Random& random) {
  const std::string type = float_type(random);
  const auto below = [&](uint64_t limit) { return static_cast<int64_t>(random() % limit); };
  const int64_t group = random() % 3 == 0 ? 1 + below(4) : 1;
  const int64_t channels = 1 + below(9), filters = group * (1 + below(20));
  Dims x = {1 + below(2), group * channels}, w = {filters, channels}, strides, pads, dilations;
  const int64_t rank = 1 + below(2);
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t kernel = 1 + below(4);
    dilations.push_back(1 + below(2));
    strides.push_back(1 + below(2));
    x.push_back((kernel - 1) * dilations.back() + 1 + below(12));
    w.push_back(kernel);
  }
  for (int64_t side = 0; side < 2 * rank; ++side) pads.push_back(below(3));
  const std::string bias = random() % 2 == 0 ? " " + tensor(type, {filters}) : "";
  return fmt::format("{} {}{} {{dilations=[{}],group={},pads=[{}],strides=[{}]}}", tensor(type, x),
                     tensor(type, w), bias, fmt::join(dilations, ","), group, fmt::join(pads, ","),
                     fmt::join(strides, ","));
}

Dims random_dims(Random& random, size_t least) {
  Dims dims(least + random() % 3);
  for (int64_t& dim : dims) dim = std::min<int64_t>(size(random), dims.size() > 3 ? 7 : 65);
  return dims;
}

std::string along_one_axis(Random& random) {
  const Dims dims = random_dims(random, 1);
  return fmt::format("{} {{axis={}}}", tensor(float_type(random), dims), random() % dims.size());
}

std::string along_axes(Random& random) {
  const Dims dims = random_dims(random, 1);
  Dims axes;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (random() % 2 == 0) axes.push_back(static_cast<int64_t>(axis));
  }
  if (axes.empty()) axes.push_back(static_cast<int64_t>(dims.size()) - 1);
  return fmt::format("{} {{axes=[{}],keepdims={}}}", tensor(float_type(random), dims),
                     fmt::join(axes, ","), random() % 2);
}

std::string transpose(Random& random) {
  const Dims dims = random_dims(random, 2);
  Dims order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  constexpr std::array<const char*, 4> kTypes = {"f32", "f16", "i8", "f64"};
  return fmt::format("{} {{perm=[{}]}}", tensor(kTypes[random() % kTypes.size()], dims),
                     fmt::join(order, ","));
}

}  // namespace

std::vector<std::string> random_examples(const std::string& op, int count, Random& random) {
  std::string (*make)(Random&) = nullptr;
  if (op == "matmul") make = matmul;
  if (op == "conv") make = conv;
  if (op == "softmax" || op == "log_softmax" || op == "arg_max") make = along_one_axis;
  if (op == "reduce_sum" || op == "reduce_max" || op == "reduce_mean" || op == "reduce_log_sum_exp")
    make = along_axes;
  if (op == "transpose") make = transpose;
  std::vector<std::string> texts;
  while (make && static_cast<int>(texts.size()) < count) texts.push_back(make(random));
  return texts;
}

}  // namespace tenon::conformance
