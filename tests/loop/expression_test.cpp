// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/affine.h"
#include "builder/loop/expression_compare.h"
#include "builder/loop/rewrite.h"
#include "builder/loop/simplify.h"

#include <gtest/gtest.h>

namespace tenon::loop {
namespace {

Dim symbol(const char* name) { return Dim::symbol(name); }
ExprPointer divide(ExprPointer a, const Dim& b) {
  return binary(ExprOp::floor_divide, std::move(a), dim_value(b));
}
ExprPointer modulo(ExprPointer a, const Dim& b) {
  return binary(ExprOp::floor_modulo, std::move(a), dim_value(b));
}

TEST(Expression, FoldsIndexArithmetic) {
  ExprPointer i = axis(0), j = axis(1);
  EXPECT_EQ(to_string(i + index_constant(0)), "i0");
  EXPECT_EQ(to_string(i * index_constant(0)), "0");
  EXPECT_EQ(to_string(dim_value(symbol("N")) + index_constant(1)), "dim(N+1)");
  EXPECT_EQ(to_string(divide(i * index_constant(6) + j, 3)),
            "add(multiply(i0, 2), floor_divide(i1, 3))");
  EXPECT_EQ(to_string(modulo(i * index_constant(6) + j, 3)), "floor_modulo(i1, 3)");
  EXPECT_EQ(to_string(divide(i * dim_value(symbol("W")), symbol("W"))), "i0");
  EXPECT_EQ(to_string(binary(ExprOp::less, i, i + index_constant(1))), "true");
}

TEST(Expression, KeepsFloatsAsTheyAre) {
  ExprPointer x = load(0, DataType::f32, {});
  EXPECT_EQ(to_string(x + real_constant(DataType::f32, 0)), "add(load(%0), 0.0)");
  EXPECT_EQ(to_string(x * real_constant(DataType::f32, 0)), "multiply(load(%0), 0.0)");
}

TEST(Expression, RejectsMixedTypes) {
  EXPECT_THROW(axis(0) + real_constant(DataType::f32, 1), std::invalid_argument);
  EXPECT_THROW(unary(ExprOp::exp, axis(0)), std::invalid_argument);
}

TEST(Expression, ComparesStructuresInLinearTime) {
  auto tower = [](int leaf) {
    ExprPointer x = load(leaf, DataType::f32, {});
    for (int i = 0; i < 200; ++i) x = x * x + x;
    return x;
  };
  EXPECT_TRUE(equal(tower(0), tower(0)));
  EXPECT_FALSE(equal(tower(0), tower(1)));
  EXPECT_EQ(hash(tower(0)), hash(tower(0)));
  ExprPointer moved = substitute_axes(tower(0), {{0, axis(1)}});
  EXPECT_TRUE(equal(moved, tower(0)));
}

TEST(Simplify, UsesExtents) {
  Dim h = symbol("H"), w = symbol("W");
  Extents extents = {{0, 8}, {1, h}, {2, w}, {3, 2}};
  ExprPointer c = axis(0), y = axis(1), x = axis(2);
  ExprPointer flat = c * dim_value(h * w) + y * dim_value(w) + x;
  EXPECT_EQ(to_string(simplify(divide(flat, h * w), extents)), "i0");
  EXPECT_EQ(to_string(simplify(divide(modulo(flat, h * w), w), extents)), "i1");
  EXPECT_EQ(to_string(simplify(modulo(flat, w), extents)), "i2");
  EXPECT_EQ(to_string(simplify(divide(c * index_constant(2) + axis(3), 6), extents)),
            "floor_divide(i0, 3)");
  EXPECT_EQ(to_string(simplify(binary(ExprOp::less, c, index_constant(8)), extents)), "true");
  EXPECT_EQ(to_string(simplify(binary(ExprOp::less, c, index_constant(7)), extents)),
            "less(i0, 7)");
  EXPECT_EQ(to_string(simplify(binary(ExprOp::less_equal, index_constant(0), y), extents)), "true");
}

TEST(Affine, FindsCoefficientsAndOffsets) {
  ExprPointer index = axis(0) * index_constant(3) + axis(1) - index_constant(2);
  auto form = affine(index);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->constant, Dim(-2));
  EXPECT_EQ(form->coefficient(0), Dim(3));
  EXPECT_EQ(form->coefficient(1), Dim(1));
  EXPECT_FALSE(affine(divide(axis(0), 3)));

  Buffer buffer;
  buffer.type.shape = {symbol("N"), 64, 7, 9};
  buffer.type.layout = ir::Layout::channels_last(4);
  auto offset = element_offset(buffer, {axis(0), axis(1), axis(2), axis(3) + index_constant(1)});
  ASSERT_TRUE(offset);
  EXPECT_EQ(offset->constant, Dim(64));
  EXPECT_EQ(offset->coefficient(0), Dim(7 * 9 * 64));
  EXPECT_EQ(offset->coefficient(1), Dim(1));
  EXPECT_EQ(offset->coefficient(2), Dim(9 * 64));
}

}  // namespace
}  // namespace tenon::loop
