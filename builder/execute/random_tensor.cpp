// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/constant.h"
#include "builder/ops/op.h"

#include <tenon/verify.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace tenon {
namespace {

/// SplitMix64: the same numbers on every machine, which std::normal_distribution does not promise.
class Generator {
 public:
  explicit Generator(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// In (0, 1].
  double uniform() { return (static_cast<double>(next() >> 11) + 1) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  uint64_t state_;
};

}  // namespace

Result<TensorData> random_tensor(DataType type, const std::vector<int64_t>& dims, uint64_t seed) {
  const std::optional<int64_t> count = ir::element_count(dims);
  constexpr int64_t kLargest = int64_t{1} << 34;
  if (!count || *count > kLargest) {
    return Status(
        ErrorCode::bad_argument,
        fmt::format("no random values for a tensor of {} elements", fmt::join(dims, "x")));
  }
  if (ops::all_types().count(type) == 0) {
    return Status(ErrorCode::unsupported,
                  fmt::format("not supported yet: random values of type {}", to_string(type)));
  }
  Generator generator(seed);
  ops::ReferenceTensor tensor;
  tensor.type = type;
  tensor.dims = dims;
  const uint64_t mask = type == DataType::boolean ? 1 : 3;
  for (int64_t i = 0; i < *count; ++i) {
    if (is_float(type)) {
      tensor.reals.push_back(generator.normal());
    } else {
      tensor.integers.push_back(static_cast<int64_t>((generator.next() >> 32) & mask));
    }
  }
  return ops::to_tensor_data(tensor);
}

}  // namespace tenon
