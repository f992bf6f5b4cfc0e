// SPDX-License-Identifier: Apache-2.0
// Ways in which ONNX nodes become graph nodes that many operators share.
#pragma once

#include "builder/ops/op.h"

namespace tenon::ops {

/// One node of `op` with the same inputs, attributes and outputs.
Import import_as(std::string op);
/// op(op(a, b), c): of n inputs, broadcast.
Import import_chain(std::string op);
/// The inputs as they are: what the node computes is its first input.
Result<std::vector<Value*>> forward(Value* value);

/// A constant scalar, or vector of i64.
Value* scalar_constant(Importer& importer, DataType type, double value);
Value* integer_constants(Importer& importer, const std::vector<int64_t>& values);

/// Elements of an integer input as dims, or "not supported yet" with the input's name.
Result<std::vector<Dim>> required_elements(const NodeView& node, int input, const char* name);
/// The same where every element must be a number.
Result<std::vector<int64_t>> required_integers(const NodeView& node, int input, const char* name);
/// Axes or sizes from input `input`, else from attribute `name`, else nothing.
Result<std::optional<std::vector<int64_t>>> integers_of(const NodeView& node, int input,
                                                        const char* name);

/// A reshape of `value`; the value itself when the shape is the same.
Result<Value*> reshape_to(Importer& importer, Value* value, const Shape& shape);

}  // namespace tenon::ops
