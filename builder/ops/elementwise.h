// SPDX-License-Identifier: Apache-2.0
// Definitions of operators that compute each point from the same point of broadcast operands.
#pragma once

#include "builder/ops/op.h"

#include <type_traits>

namespace tenon::ops {

/// An element in the reference: `real` of a float type, else `integer`.
struct Scalar {
  double real = 0;
  int64_t integer = 0;
};
template <typename T>
Scalar to_scalar(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return {value, 0};
  else
    return {0, static_cast<int64_t>(value)};
}

/// The result at a point. `type` is that of the first operand; one left out is zero.
using PointFunction = std::function<Scalar(const OpView&, DataType type, const Scalar* operands)>;

/// `f` of one or two operands of one type, given as double, uint64_t (only when `f` takes it) or
/// int64_t.
template <typename F>
PointFunction pointwise(F f) {
  return [f](const OpView&, DataType type, const Scalar* x) -> Scalar {
    const auto apply = [&]<typename T>(T a, T b) -> Scalar {
      if constexpr (std::is_invocable_v<F, T, T>)
        return to_scalar(f(a, b));
      else if constexpr (std::is_invocable_v<F, T>)
        return to_scalar(f(a));
      else
        return {};
    };
    if (is_float(type)) return apply(x[0].real, x[1].real);
    if constexpr (std::is_invocable_v<F, uint64_t> || std::is_invocable_v<F, uint64_t, uint64_t>) {
      if (type == DataType::u64) {
        return apply(static_cast<uint64_t>(x[0].integer), static_cast<uint64_t>(x[1].integer));
      }
    }
    return apply(x[0].integer, x[1].integer);
  };
}

/// Several lambdas as one overloaded function.
template <typename... F>
struct overloaded : F... {
  using F::operator()...;
};
template <typename... F>
overloaded(F...) -> overloaded<F...>;

/// Runs `function` at every point.
std::function<Status(const OpView&, const Operands&, const Results&)> reference_of(
    PointFunction function);

/// Kind, inference (broadcast shape; type of the first input, or `result`), reference and scalar of
/// an operator; the inputs are already declared.
void define_elementwise(
    OpDefinition& op, PointFunction reference,
    std::function<ExprPointer(const OpView&, const std::vector<ExprPointer>&)> scalar,
    std::optional<DataType> result = std::nullopt);
/// The same with one input "X" or two inputs "A", "B" of one type, known in ONNX as `onnx` since
/// opset `since` with the same attributes.
void define_unary(OpDefinition& op, const char* onnx, int64_t since, const TypeSet& types,
                  PointFunction reference, std::function<ExprPointer(const ExprPointer&)> scalar,
                  std::optional<DataType> result = std::nullopt);
void define_binary(OpDefinition& op, const char* onnx, int64_t since, const TypeSet& types,
                   PointFunction reference,
                   std::function<ExprPointer(const ExprPointer&, const ExprPointer&)> scalar,
                   std::optional<DataType> result = std::nullopt);

/// A constant of an expression's type.
ExprPointer like(const ExprPointer& expression, double value);
/// condition: a < b, a <= b, not a.
ExprPointer less(const ExprPointer& a, const ExprPointer& b);
ExprPointer less_equal(const ExprPointer& a, const ExprPointer& b);
ExprPointer equal(const ExprPointer& a, const ExprPointer& b);
ExprPointer logical_not(const ExprPointer& a);
/// 1 / (1 + exp(-x))
ExprPointer sigmoid(const ExprPointer& x);
/// log(1 + exp(x)) without overflow.
ExprPointer softplus(const ExprPointer& x);

}  // namespace tenon::ops
