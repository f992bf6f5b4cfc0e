// SPDX-License-Identifier: Apache-2.0
// The expanded functions against long double, in units in the last place of the exact result.
#include "builder/loop/functions.h"
#include "builder/loop/interpret.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

namespace tenon::loop {
namespace {

using Exact1 = std::function<long double(long double)>;
using Exact2 = std::function<long double(long double, long double)>;

Kernel kernel_of(ExprOp op, DataType type, int64_t count, bool two) {
  Kernel kernel;
  kernel.name = to_string(op);
  kernel.axes = {{"i0", count}};
  kernel.grid_rank = 1;
  for (int i = 0; i < (two ? 3 : 2); ++i) {
    Buffer buffer;
    buffer.name = "b" + std::to_string(i);
    buffer.type = {type, {count}, {}};
    buffer.written = i == (two ? 2 : 1);
    kernel.buffers.push_back(buffer);
  }
  Stage stage;
  ExprPointer x = load(0, type, {axis(0)});
  stage.values = {two ? binary(op, x, load(1, type, {axis(0)})) : unary(op, x)};
  stage.buffer = two ? 2 : 1;
  stage.indices = {axis(0)};
  kernel.stages = {stage};
  return kernel;
}

template <typename T>
std::vector<T> run(ExprOp op, std::vector<T> x, std::vector<T> y = {}) {
  DataType type = sizeof(T) == 4 ? DataType::f32 : DataType::f64;
  std::vector<T> result(x.size());
  Kernel kernel = kernel_of(op, type, static_cast<int64_t>(x.size()), !y.empty());
  expand_functions(kernel);
  std::vector<std::span<std::byte>> buffers;
  for (std::vector<T>* values : {&x, &y, &result}) {
    if (!values->empty()) buffers.push_back(std::as_writable_bytes(std::span(*values)));
  }
  Status status = interpret(kernel, {}, buffers);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return result;
}

// Distance of `actual` to `exact` in units in the last place of the type at `exact`.
template <typename T>
double error_in_ulp(T actual, long double exact) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : HUGE_VAL;
  T rounded = static_cast<T>(exact);
  if (std::isnan(actual)) return HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(actual)) {
    if (actual == rounded) return 0;
    // Within a unit of the overflow threshold either is right.
    T finite = std::isinf(rounded) ? actual : rounded;
    return std::fabs(finite) == std::numeric_limits<T>::max() ? 1 : HUGE_VAL;
  }
  int exponent = std::max(
      std::ilogb(static_cast<long double>(rounded == 0 ? std::numeric_limits<T>::min() : rounded)),
      std::numeric_limits<T>::min_exponent - 1);
  long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1);
  return static_cast<double>(std::fabs(static_cast<long double>(actual) - exact) / unit);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  for (double value :
       {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0, 100.0, kInfinity, kNan,
        static_cast<double>(Limits::min()), static_cast<double>(Limits::max()),
        static_cast<double>(Limits::denorm_min()), static_cast<double>(Limits::min()) / 2}) {
    result.push_back(static_cast<T>(value));
    result.push_back(static_cast<T>(-value));
  }
  return result;
}

struct Case {
  ExprOp op;
  Exact1 exact;
  double narrow_ulp, wide_ulp;
  double low, high;  // dense samples; random bit patterns come on top where `any` holds
  bool any = true;
};

template <typename T>
void check(const Case& c, double bound) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(c.low, c.high);
  std::vector<T> x = special_values<T>();
  for (int i = 0; i < 20000; ++i) x.push_back(static_cast<T>(uniform(random)));
  for (int i = 0; i < 5000; ++i)
    x.push_back(static_cast<T>(uniform(random) * std::pow(2.0, -(i % 40))));
  for (int i = 0; i < 20000 && c.any; ++i) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    x.push_back(std::bit_cast<T>(static_cast<Bits>(random())));
  }
  std::vector<T> y = run(c.op, x);
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = error_in_ulp(y[i], c.exact(x[i]));
    if (error > worst) worst = error, where = i;
    if (c.exact(x[i]) == 0 && x[i] == 0) {
      EXPECT_EQ(std::signbit(y[i]), std::signbit(c.exact(x[i]))) << "sign of zero";
    }
  }
  testing::Test::RecordProperty("worst_ulp", std::to_string(worst));
  EXPECT_LE(worst, bound) << to_string(c.op) << "(" << x[where] << ") gives " << y[where]
                          << ", expected " << static_cast<double>(c.exact(x[where]));
}

class Functions : public testing::TestWithParam<Case> {};
TEST_P(Functions, NarrowWithinBound) { check<float>(GetParam(), GetParam().narrow_ulp); }
TEST_P(Functions, WideWithinBound) { check<double>(GetParam(), GetParam().wide_ulp); }

// The trigonometric reduction holds for |x| <= 2^30, so random bit patterns are left out.
INSTANTIATE_TEST_SUITE_P(
    All, Functions,
    testing::Values(Case{ExprOp::exp, [](long double x) { return std::exp(x); }, 1.01, 1.01, -110,
                         100},
                    Case{ExprOp::log, [](long double x) { return std::log(x); }, 2, 1.5, 0, 4},
                    Case{ExprOp::tanh, [](long double x) { return std::tanh(x); }, 2, 4, -10, 10},
                    Case{ExprOp::erf, [](long double x) { return std::erf(x); }, 2, 4, -7, 7},
                    Case{ExprOp::atan, [](long double x) { return std::atan(x); }, 1, 4, -4, 4},
                    Case{ExprOp::asin, [](long double x) { return std::asin(x); }, 1, 4, -1, 1},
                    Case{ExprOp::acos, [](long double x) { return std::acos(x); }, 1, 4, -1, 1},
                    Case{ExprOp::sinh, [](long double x) { return std::sinh(x); }, 1, 4, -720, 720},
                    Case{ExprOp::cosh, [](long double x) { return std::cosh(x); }, 1, 4, -720, 720},
                    Case{ExprOp::asinh, [](long double x) { return std::asinh(x); }, 1, 4, -10, 10},
                    Case{ExprOp::acosh, [](long double x) { return std::acosh(x); }, 1, 4, 1, 10},
                    Case{ExprOp::atanh, [](long double x) { return std::atanh(x); }, 1, 4, -1, 1}),
    [](const auto& info) { return to_string(info.param.op); });

template <typename T>
void check_periodic(ExprOp op, const Exact1& exact, double bound) {
  std::mt19937_64 random(1);
  std::vector<T> x = {T(0), T(-0.0), static_cast<T>(kNan), static_cast<T>(kInfinity)};
  for (double range : {1.0, 10.0, 1e4, 1e9}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 10000; ++i) x.push_back(static_cast<T>(uniform(random)));
  }
  // Multiples of pi/2, where the result nearly vanishes.
  for (int i = 1; i < 2000; ++i) x.push_back(static_cast<T>(i * 1.5707963267948966));
  std::vector<T> y = run(op, x);
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = error_in_ulp(y[i], exact(x[i]));
    if (error > worst) worst = error, where = i;
  }
  EXPECT_LE(worst, bound) << to_string(op) << "(" << x[where] << ") gives " << y[where];
}

TEST(Trigonometric, WithinBound) {
  const std::vector<std::pair<ExprOp, Exact1>> functions = {
      {ExprOp::sin, [](long double x) { return std::sin(x); }},
      {ExprOp::cos, [](long double x) { return std::cos(x); }},
      {ExprOp::tan, [](long double x) { return std::tan(x); }}};
  for (const auto& [op, exact] : functions) {
    check_periodic<float>(op, exact, 1);
    check_periodic<double>(op, exact, 4);
  }
}

TEST(Trigonometric, StaysBoundedForHugeArguments) {
  std::vector<double> x = {1e12, 1e18, 1e30, 1e300, -1e100, std::numeric_limits<double>::max()};
  for (ExprOp op : {ExprOp::sin, ExprOp::cos}) {
    for (double y : run(op, x)) EXPECT_LE(std::fabs(y), 1.0);
  }
}

template <typename T>
void check_pairs(ExprOp op, const Exact2& exact, double low, double high, double bound) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> x, y;
  std::vector<T> special = special_values<T>();
  for (T a : special) {
    for (T b : special) {
      // fmod steps down a bounded quotient only.
      if (op == ExprOp::remainder && std::fabs(a / b) > 1e30 && std::isfinite(a) && b != 0)
        continue;
      x.push_back(a);
      y.push_back(b);
    }
  }
  for (int i = 0; i < 30000; ++i) {
    x.push_back(static_cast<T>(uniform(random)));
    y.push_back(static_cast<T>(uniform(random)));
    if (i % 3 == 0) y.back() = std::round(y.back());
  }
  std::vector<T> z = run(op, x, y);
  double worst = 0;
  size_t where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = error_in_ulp(z[i], exact(x[i], y[i]));
    if (error > worst) worst = error, where = i;
    if (exact(x[i], y[i]) == 0) {
      EXPECT_EQ(std::signbit(z[i]), std::signbit(exact(x[i], y[i]))) << x[i] << ", " << y[i];
    }
  }
  EXPECT_LE(worst, bound) << to_string(op) << "(" << x[where] << ", " << y[where] << ") gives "
                          << z[where] << ", expected "
                          << static_cast<double>(exact(x[where], y[where]));
}

TEST(Power, WithinBoundAndAsInC) {
  Exact2 exact = [](long double x, long double y) { return std::pow(x, y); };
  check_pairs<float>(ExprOp::power, exact, -20, 20, 1);
  check_pairs<double>(ExprOp::power, exact, -100, 100, 16);
}

TEST(ArcTangent2, WithinBoundAndAsInC) {
  Exact2 exact = [](long double y, long double x) { return std::atan2(y, x); };
  check_pairs<float>(ExprOp::atan2, exact, -3, 3, 1);
  check_pairs<double>(ExprOp::atan2, exact, -3, 3, 4);
}

TEST(Remainder, IsExact) {
  Exact2 exact = [](long double x, long double y) { return std::fmod(x, y); };
  check_pairs<float>(ExprOp::remainder, exact, -1000, 1000, 0);
  check_pairs<double>(ExprOp::remainder, exact, -1000, 1000, 0);
}

}  // namespace
}  // namespace tenon::loop
