// SPDX-License-Identifier: Apache-2.0
// Pointwise kernels: tails, layouts, types, random expressions, guarded loads.
#include "tests/codegen/kernel_builder.h"
#include "tests/codegen/kernel_runner.h"

#include <gtest/gtest.h>

namespace tenon::test {
namespace {

using ir::Dim;

constexpr DataType kTypes[] = {DataType::f64,    DataType::f32, DataType::f16, DataType::bf16,
                               DataType::i64,    DataType::i32, DataType::i16, DataType::i8,
                               DataType::u64,    DataType::u32, DataType::u16, DataType::u8,
                               DataType::boolean};

ExprPointer compute(ExprPointer value) {
  return loop::cast(loop::compute_type(value->type), value);
}

TEST(Pointwise, EveryTailLength) {
  KernelBuilder k("tails");
  auto n = Dim::symbol("N");
  int i = k.grid(3), j = k.grid(n);
  int a = k.input(DataType::f32, {3, n}), b = k.input(DataType::f32, {n});
  int y = k.output(DataType::f32, {3, n});
  auto value = loop::binary(ExprOp::maximum, k.at(a, {i, j}) * k.at(b, {j}),
                            loop::constant(DataType::f32, 0));
  k.store(y, {i, j}, value);
  std::vector<Symbols> lengths;
  for (int64_t length = 0; length <= 33; ++length) lengths.push_back({{"N", length}});
  for (const auto& schedule :
       {lanes(-1, 1), lanes(j, 16), lanes(j, 8, {2, 0}), lanes(j, 16, {1, 7}), lanes(i, 4)}) {
    expect_as_interpreted(k.kernel(), schedule, lengths, 1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Pointwise, WideVirtualVectors) {
  KernelBuilder k("wide");
  int i = k.grid(700);
  int a = k.input(DataType::f32, {700}), y = k.output(DataType::f32, {700});
  k.store(y, {i},
          loop::fused_multiply_add(k.at(a, {i}), k.at(a, {i}), loop::constant(DataType::f32, 0.5)));
  for (int width : {8, 24, 64, 128}) {
    expect_as_interpreted(k.kernel(), lanes(i, width, {256}), Symbols{}, 3);
  }
}

TEST(Pointwise, EveryTypeIsCopiedAndConverted) {
  for (auto from : kTypes) {
    KernelBuilder k("cast_" + std::string(to_string(from)));
    int i = k.grid(77);
    int a = k.input(from, {77});
    for (auto to : kTypes) k.store(k.output(to, {77}), {i}, loop::cast(to, k.at(a, {i})));
    expect_as_interpreted(k.kernel(), lanes(i, 32), Symbols{}, 11);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Pointwise, TransposedAndBlockedLayouts) {
  auto n = Dim::symbol("N");
  for (const auto& [from, to] : std::vector<std::pair<ir::Layout, ir::Layout>>{
           {{}, ir::Layout::channels_last(4)},
           {ir::Layout::channels_last(4), {}},
           {{}, {{0, 1, 2, 3}, {{1, 8}}}},
           {{{0, 1, 2, 3}, {{1, 4}, {1, 2}}}, ir::Layout::channels_last(4)}}) {
    KernelBuilder k("layout");
    ir::Shape shape = {n, 16, 5, 7};
    int b = k.grid(n), c = k.grid(16), h = k.grid(5), w = k.grid(7);
    int x = k.input(DataType::f32, shape, from), y = k.output(DataType::f32, shape, to);
    k.store(y, {b, c, h, w}, -k.at(x, {b, c, h, w}));
    for (int axis : {b, c, h, w, -1}) {
      expect_as_interpreted(k.kernel(), lanes(axis, 8, {1, 0, 2, 0}), {{"N", 3}}, 5);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Pointwise, StridesReversalsAndGathers) {
  KernelBuilder k("movement");
  int i = k.grid(9), j = k.grid(37);
  int x = k.input(DataType::f32, {9, 80}), bytes = k.input(DataType::u8, {9, 37});
  int y = k.output(DataType::f32, {9, 37});
  auto reversed = loop::index_constant(79) - loop::axis(j);
  auto strided = loop::axis(j) * loop::index_constant(2);
  auto looked_up =
      loop::binary(ExprOp::floor_modulo, loop::cast(DataType::i64, k.at(bytes, {i, j})),
                   loop::index_constant(80));
  auto quotient = loop::binary(ExprOp::floor_divide, loop::axis(j), loop::index_constant(3));
  auto row = loop::axis(i);
  k.store(y, {i, j},
          k.load(x, {row, reversed}) + k.load(x, {row, strided}) + k.load(x, {row, looked_up}) +
              k.load(x, {row, quotient}));
  for (const auto& schedule : {lanes(j, 16), lanes(i, 8), lanes(-1, 1)}) {
    expect_as_interpreted(k.kernel(), schedule, Symbols{}, 6);
  }
}

TEST(Pointwise, LoadsBelowSelectsHappenOnlyWhereChosen) {
  for (auto type : {DataType::f32, DataType::f64, DataType::i8, DataType::f16}) {
    KernelBuilder k("padded_" + std::string(to_string(type)));
    auto n = Dim::symbol("N");
    int i = k.grid(n + 2), j = k.grid(n + 5);
    int x = k.input(type, {n, n}), y = k.output(type, {n + 2, n + 5});
    auto row = loop::axis(i) - loop::index_constant(1);
    auto column = loop::axis(j) - loop::index_constant(2);
    auto inside = [&](ExprPointer index) {
      return loop::binary(ExprOp::bit_and,
                          loop::binary(ExprOp::less_equal, loop::index_constant(0), index),
                          loop::binary(ExprOp::less, index, loop::dim_value(n)));
    };
    auto loaded = k.load(x, {row, column});
    // The same load on both sides of an inner select needs only the outer condition.
    auto either = loop::select(loop::binary(ExprOp::less, loop::axis(j), loop::axis(i)), loaded,
                               loop::binary(ExprOp::maximum, loaded, loaded));
    auto zero = loop::constant(type, 0);
    k.store(y, {i, j}, loop::select(inside(row), loop::select(inside(column), either, zero), zero));
    const std::vector<Symbols> sizes = {{{"N", 1}}, {{"N", 4}}, {{"N", 13}}, {{"N", 32}}};
    for (const auto& schedule : {lanes(j, 16), lanes(i, 8), lanes(-1, 1)}) {
      expect_as_interpreted(k.kernel(), schedule, sizes, 9);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Random expressions of one type over two loads.
ExprPointer random_expression(std::mt19937_64& random, const std::vector<ExprPointer>& leaves,
                              int depth) {
  auto pick = [&](int bound) { return static_cast<int>(random() % static_cast<uint64_t>(bound)); };
  auto type = leaves[0]->type;
  if (depth == 0 || pick(8) == 0) {
    return pick(4) ? leaves[random() % leaves.size()] : loop::constant(type, pick(5) - 2);
  }
  auto operand = [&] { return random_expression(random, leaves, depth - 1); };
  static const std::vector<ExprOp> both = {ExprOp::add,      ExprOp::subtract, ExprOp::multiply,
                                           ExprOp::divide,   ExprOp::minimum,  ExprOp::maximum,
                                           ExprOp::remainder};
  static const std::vector<ExprOp> integers = {
      ExprOp::floor_divide, ExprOp::floor_modulo, ExprOp::bit_and,    ExprOp::bit_or,
      ExprOp::bit_xor,      ExprOp::shift_left,   ExprOp::shift_right};
  static const std::vector<ExprOp> floats = {
      ExprOp::floor,    ExprOp::ceil,        ExprOp::truncate, ExprOp::round_even,
      ExprOp::absolute, ExprOp::square_root, ExprOp::negate};
  switch (pick(8)) {
    case 0: {
      static const std::vector<ExprOp> comparisons = {ExprOp::equal, ExprOp::less,
                                                      ExprOp::less_equal};
      auto condition =
          loop::binary(comparisons[static_cast<size_t>(pick(3))], operand(), operand());
      if (pick(2)) condition = loop::unary(ExprOp::bit_not, condition);
      return loop::select(condition, operand(), operand());
    }
    case 1:
      if (!is_float(type))
        return loop::unary(pick(2) ? ExprOp::bit_not : ExprOp::absolute, operand());
      return loop::unary(floats[static_cast<size_t>(pick(7))], operand());
    case 2:
      if (is_float(type)) {
        // The signs of a computed NaN and of the zero that minimum chooses are open: take a leaf's.
        return pick(2)
                   ? loop::binary(ExprOp::copy_sign, operand(), leaves[random() % leaves.size()])
                   : loop::fused_multiply_add(operand(), operand(), operand());
      }
      [[fallthrough]];
    case 3:
      if (!is_float(type)) {
        auto op = integers[static_cast<size_t>(pick(7))];
        return loop::binary(op, operand(), operand());
      }
      [[fallthrough]];
    default:
      // The last, remainder, is a function for floats.
      return loop::binary(both[static_cast<size_t>(pick(is_float(type) ? 6 : 7))], operand(),
                          operand());
  }
}

TEST(Pointwise, RandomExpressions) {
  uint64_t seed = 100;
  for (auto type : {DataType::f32, DataType::f64, DataType::i64, DataType::i32, DataType::i16,
                    DataType::i8, DataType::u64, DataType::u32, DataType::u16, DataType::u8}) {
    for (int round = 0; round < 6; ++round, ++seed) {
      std::mt19937_64 random(seed);
      KernelBuilder k("random_" + std::string(to_string(type)) + "_" + std::to_string(seed));
      int i = k.grid(5), j = k.grid(41);
      int a = k.input(type, {5, 41}), b = k.input(type, {5}), y = k.output(type, {5, 41});
      k.store(y, {i, j}, random_expression(random, {k.at(a, {i, j}), k.at(b, {i})}, 4));
      expect_as_interpreted(k.kernel(), lanes(round % 3 == 2 ? i : j, 16), Symbols{}, seed);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Pointwise, HalfTypesComputeInSinglePrecision) {
  for (auto type : {DataType::f16, DataType::bf16}) {
    KernelBuilder k("half_" + std::string(to_string(type)));
    int i = k.grid(133);
    int a = k.input(type, {133}), y = k.output(type, {133});
    auto x = compute(k.at(a, {i}));
    k.store(y, {i}, loop::cast(type, x * x + x / loop::constant(DataType::f32, 3)));
    expect_as_interpreted(k.kernel(), lanes(i, 64), Symbols{}, 21);
  }
}

TEST(Pointwise, FunctionsNeedNoLibrary) {
  for (auto type : {DataType::f32, DataType::f64}) {
    for (int op = static_cast<int>(ExprOp::exp); op <= static_cast<int>(ExprOp::erf); ++op) {
      KernelBuilder k(loop::to_string(static_cast<ExprOp>(op)));
      int i = k.grid(90);
      int a = k.input(type, {90}), y = k.output(type, {90});
      // The bounds of the functions at extreme arguments are the loop tests' business.
      auto x = k.at(a, {i});
      auto huge =
          loop::binary(ExprOp::less, loop::constant(type, 100), loop::unary(ExprOp::absolute, x));
      x = loop::select(huge, loop::constant(type, 0.5), x);
      k.store(y, {i}, loop::unary(static_cast<ExprOp>(op), x));
      RunOptions options;
      options.tolerance = type == DataType::f32 ? 1e-5 : 1e-12;
      expect_as_interpreted(k.kernel(), lanes(i, 32), Symbols{}, 31, options);
    }
  }
}

}  // namespace
}  // namespace tenon::test
