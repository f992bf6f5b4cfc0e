// SPDX-License-Identifier: Apache-2.0
// Reductions, tiles in scratch, custom combiners, padded windows.
#include "tests/codegen/kernel_builder.h"
#include "tests/codegen/kernel_runner.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tenon::test {
namespace {

using ir::Dim;
using loop::Combiner;

ExprPointer finite(ExprPointer x) {
  // Keeps sums comparable whatever their order: no infinities, no NaN, no huge values.
  auto limit = [&](double value) { return loop::constant(x->type, value); };
  auto number = loop::select(loop::unary(ExprOp::is_nan, x), limit(0), x);
  return loop::binary(ExprOp::minimum, loop::binary(ExprOp::maximum, number, limit(-9)), limit(9));
}

TEST(Reduction, SumsOverAnyAxisWithLanesOnAnyAxis) {
  auto n = Dim::symbol("N");
  KernelBuilder k("sum");
  int i = k.grid(6), r = k.axis(n);
  int x = k.input(DataType::f32, {6, n}), y = k.output(DataType::f32, {6});
  int sum = k.reduce(Combiner::sum, {r}, finite(k.at(x, {i, r})), loop::constant(DataType::f32, 0));
  k.store(y, {i}, k.stage(sum));
  RunOptions options;
  options.tolerance = 1e-5;
  std::vector<Symbols> lengths;
  for (int64_t length : {0, 1, 3, 15, 16, 17, 33, 100}) lengths.push_back({{"N", length}});
  for (const auto& schedule : {lanes(r, 16), lanes(i, 4), lanes(-1, 1), lanes(r, 24)}) {
    expect_as_interpreted(k.kernel(), schedule, lengths, 40, options);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Reduction, EveryCombinerAndType) {
  struct Case {
    Combiner combiner;
    double identity;
  };
  for (auto type : {DataType::f32, DataType::f64, DataType::i64, DataType::i32, DataType::i8,
                    DataType::u8, DataType::i16}) {
    double lowest = is_float(type)              ? -HUGE_VAL
                    : is_unsigned_integer(type) ? 0
                                                : -std::ldexp(1.0, bit_width(type) - 1);
    double highest = is_float(type)         ? HUGE_VAL
                     : type == DataType::u8 ? 255
                     : type == DataType::i8
                         ? 127
                         : std::ldexp(1.0, std::min(bit_width(type), 48) - 1) - 1;
    for (const auto& [combiner, identity] :
         {Case{Combiner::sum, 0}, Case{Combiner::product, 1}, Case{Combiner::minimum, highest},
          Case{Combiner::maximum, lowest}}) {
      KernelBuilder k("combine_" + std::string(to_string(type)));
      int i = k.grid(5), r = k.axis(43);
      int x = k.input(type, {5, 43}), y = k.output(type, {5});
      auto value = k.at(x, {i, r});
      if (is_float(type)) value = finite(value);
      int result = k.reduce(combiner, {r}, value, loop::constant(type, identity));
      k.store(y, {i}, k.stage(result));
      RunOptions options;
      options.tolerance = 1e-4;
      // Products of floats overflow or vanish; their order decides which.
      if (is_float(type) && combiner == Combiner::product) continue;
      for (const auto& schedule : {lanes(r, 16), lanes(i, 8), lanes(-1, 1)}) {
        expect_as_interpreted(k.kernel(), schedule, Symbols{}, 50, options);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(Reduction, AnyAndAllOfBools) {
  for (auto combiner : {Combiner::bit_or, Combiner::bit_and}) {
    KernelBuilder k("bools");
    int i = k.grid(7), r = k.axis(19);
    int x = k.input(DataType::boolean, {7, 19}), y = k.output(DataType::boolean, {7});
    int result = k.reduce(combiner, {r}, k.at(x, {i, r}),
                          loop::integer_constant(DataType::boolean, combiner == Combiner::bit_and));
    k.store(y, {i}, k.stage(result));
    for (const auto& schedule : {lanes(r, 16), lanes(i, 8), lanes(-1, 1)}) {
      expect_as_interpreted(k.kernel(), schedule, Symbols{}, 55);
    }
  }
}

TEST(Reduction, ArgmaxKeepsTheFirstOfEqualValues) {
  KernelBuilder k("argmax");
  int i = k.grid(9), j = k.grid(20), r = k.axis(13);
  int x = k.input(DataType::i8, {9, 13, 20}), y = k.output(DataType::i64, {9, 20});
  loop::Reduction reduction;
  reduction.combiner = Combiner::custom;
  reduction.values = {k.at(x, {i, r, j}), loop::axis(r)};
  reduction.identities = {loop::integer_constant(DataType::i8, -128), loop::index_constant(0)};
  auto old = loop::stage_value(-1, 0, DataType::i8), next = loop::stage_value(-2, 0, DataType::i8);
  auto better = loop::binary(ExprOp::less, old, next);
  reduction.joined = {loop::select(better, next, old),
                      loop::select(better, loop::stage_value(-2, 1, DataType::i64),
                                   loop::stage_value(-1, 1, DataType::i64))};
  int best = k.reduce(std::move(reduction), {r});
  k.store(y, {i, j}, k.stage(best, 1));
  for (const auto& schedule : {lanes(j, 8), lanes(i, 4), lanes(r, 8), lanes(-1, 1)}) {
    expect_as_interpreted(k.kernel(), schedule, Symbols{}, 60);
  }
}

TEST(Reduction, StagesKeepARowInScratch) {
  auto n = Dim::symbol("N");
  KernelBuilder k("normalise");
  int i = k.grid(Dim::symbol("M")), r = k.axis(n), t = k.axis(n), s = k.axis(n), o = k.axis(n);
  int x = k.input(DataType::f32, {Dim::symbol("M"), n});
  int y = k.output(DataType::f32, {Dim::symbol("M"), n});
  int top = k.reduce(Combiner::maximum, {r}, finite(k.at(x, {i, r})),
                     loop::constant(DataType::f32, -HUGE_VAL));
  auto distance = finite(k.at(x, {i, t})) - k.stage(top);
  int weight = k.keep(distance * distance + loop::constant(DataType::f32, 1), {t});
  int sum = k.reduce(Combiner::sum, {s}, k.stage(weight, 0, {loop::axis(s)}),
                     loop::constant(DataType::f32, 0));
  k.store(y, {i, o}, k.stage(weight, 0, {loop::axis(o)}) / k.stage(sum), {o});
  RunOptions options;
  options.tolerance = 1e-5;
  std::vector<Symbols> lengths;
  for (int64_t length : {1, 7, 16, 40}) lengths.push_back({{"N", length}, {"M", 11}});
  for (int axis : {i, r, t, s, o, -1}) {
    expect_as_interpreted(k.kernel(), lanes(axis, 16), lengths, 70, options);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Reduction, PaddedWindowsUnrollTheirTaps) {
  for (bool channels_last : {false, true}) {
    KernelBuilder k("conv");
    ir::Layout layout = channels_last ? ir::Layout::channels_last(4) : ir::Layout{};
    int n = k.grid(2), h = k.grid(6), w = k.grid(9), c = k.grid(16);
    int p = k.axis(3), q = k.axis(3);
    int x = k.input(DataType::f32, {2, 16, 6, 9}, layout), f = k.input(DataType::f32, {16, 3, 3});
    int y = k.output(DataType::f32, {2, 16, 6, 9}, layout);
    auto row = loop::axis(h) + loop::axis(p) - loop::index_constant(1);
    auto column = loop::axis(w) + loop::axis(q) - loop::index_constant(1);
    auto inside = [&](ExprPointer index, int64_t size) {
      return loop::binary(ExprOp::bit_and,
                          loop::binary(ExprOp::less_equal, loop::index_constant(0), index),
                          loop::binary(ExprOp::less, index, loop::index_constant(size)));
    };
    auto padded = loop::select(loop::binary(ExprOp::bit_and, inside(row, 6), inside(column, 9)),
                               finite(k.load(x, {loop::axis(n), loop::axis(c), row, column})),
                               loop::constant(DataType::f32, 0));
    int sum = k.reduce(Combiner::sum, {p, q}, padded * finite(k.at(f, {c, p, q})),
                       loop::constant(DataType::f32, 0));
    k.store(y, {n, c, h, w}, k.stage(sum));
    RunOptions options;
    options.tolerance = 1e-5;
    for (int axis : {w, c, h, q, -1}) {
      expect_as_interpreted(k.kernel(), lanes(axis, 8, {1, 2, 4, 16}), Symbols{}, 80, options);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Reduction, MatrixProductsWithLanesOnEachAxis) {
  for (auto type : {DataType::f32, DataType::f16, DataType::i8}) {
    KernelBuilder k("product_" + std::string(to_string(type)));
    auto m = Dim::symbol("M");
    auto sum_type = type == DataType::i8 ? DataType::i32 : DataType::f32;
    int i = k.grid(m), j = k.grid(19), r = k.axis(37);
    int a = k.input(type, {m, 37}), b = k.input(type, {37, 19}), y = k.output(sum_type, {m, 19});
    auto left = loop::cast(sum_type, k.at(a, {i, r})),
         right = loop::cast(sum_type, k.at(b, {r, j}));
    if (type != DataType::i8) {
      left = finite(left);
      right = finite(right);
    }
    int sum = k.reduce(Combiner::sum, {r}, left * right, loop::constant(sum_type, 0));
    k.store(y, {i, j}, k.stage(sum));
    RunOptions options;
    options.tolerance = 1e-5;
    for (int axis : {i, j, r, -1}) {
      expect_as_interpreted(k.kernel(), lanes(axis, 8, {2, 8}), {{"M", 5}}, 85, options);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Reduction, TilesOfTwoAxesAreReadAcross) {
  KernelBuilder k("transpose_in_scratch");
  int i = k.grid(3), p = k.axis(5), q = k.axis(18), s = k.axis(18), t = k.axis(5);
  for (auto type : {DataType::f32, DataType::i16, DataType::boolean}) {
    KernelBuilder each = k;
    int x = each.input(type, {3, 5, 18}), y = each.output(type, {3, 18, 5});
    int tile = each.keep(each.at(x, {i, p, q}), {p, q});
    each.store(y, {i, s, t}, each.stage(tile, 0, {loop::axis(t), loop::axis(s)}), {s, t});
    for (int axis : {i, p, q, s, t, -1}) {
      expect_as_interpreted(each.kernel(), lanes(axis, 8), Symbols{}, 88);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Reduction, SeveralAxesAndSlotsAtOnce) {
  KernelBuilder k("moments");
  int i = k.grid(4), r = k.axis(5), s = k.axis(21);
  int x = k.input(DataType::f64, {4, 5, 21}), y = k.output(DataType::f64, {4});
  auto value = finite(k.at(x, {i, r, s}));
  loop::Reduction reduction;
  reduction.values = {value, value * value};
  reduction.identities = {loop::constant(DataType::f64, 0), loop::constant(DataType::f64, 0)};
  int sums = k.reduce(std::move(reduction), {r, s});
  k.store(y, {i}, k.stage(sums, 1) - k.stage(sums, 0) * k.stage(sums, 0));
  RunOptions options;
  options.tolerance = 1e-11;
  for (int axis : {i, r, s, -1}) {
    expect_as_interpreted(k.kernel(), lanes(axis, 8), Symbols{}, 90, options);
  }
}

}  // namespace
}  // namespace tenon::test
