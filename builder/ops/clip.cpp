// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

namespace tenon::ops {
namespace {

using loop::ExprOp;

template <typename T>
T clip(T x, const T* low, const T* high) {
  if (x != x) return x;
  // Not the other way round: a limit that is NaN wins.
  if (low && !(x >= *low)) x = *low;
  if (x != x) return x;
  if (high && !(x <= *high)) x = *high;
  return x;
}

Scalar reference(const OpView& op, DataType type, const Scalar* x) {
  const bool low = op.has(1), high = op.has(2);
  if (is_float(type)) {
    return {clip(x[0].real, low ? &x[1].real : nullptr, high ? &x[2].real : nullptr), 0};
  }
  if (type == DataType::u64) {
    const uint64_t values[] = {static_cast<uint64_t>(x[0].integer),
                               static_cast<uint64_t>(x[1].integer),
                               static_cast<uint64_t>(x[2].integer)};
    return to_scalar(clip(values[0], low ? &values[1] : nullptr, high ? &values[2] : nullptr));
  }
  return {0, clip(x[0].integer, low ? &x[1].integer : nullptr, high ? &x[2].integer : nullptr)};
}

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& x) {
  ExprPointer y = x[0];
  if (op.has(1)) y = loop::binary(ExprOp::maximum, y, x[1]);
  if (op.has(2)) y = loop::binary(ExprOp::minimum, y, x[2]);
  return y;
}

/// Before opset 11 the limits are attributes.
Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs an input");
  std::vector<Value*> inputs = node.inputs;
  const DataType type = inputs[0]->type.type;
  const char* names[] = {"min", "max"};
  inputs.resize(3, nullptr);
  for (int i = 0; i < 2; ++i) {
    if (node.has_attribute(names[i])) {
      inputs[i + 1] = scalar_constant(importer, type, node.real(names[i]));
    }
    if (inputs[i + 1] && ir::element_count(inputs[i + 1]->type.shape) != Dim(1)) {
      return invalid(std::string("input ") + names[i] + " must be a scalar");
    }
    // A limit of shape [1] would raise the rank of a scalar input.
    if (inputs[i + 1]) {
      TENON_ASSIGN(inputs[i + 1], reshape_to(importer, inputs[i + 1], {}));
    }
  }
  if (!inputs[1] && !inputs[2]) return forward(inputs[0]);
  return importer.node("clip", inputs);
}

}  // namespace

TENON_OP(Clip) {
  op.name = "clip";
  op.summary = "y = min(max(x, low), high); NaN stays";
  op.inputs = {{"input", numbers()}, {"min", numbers(), true}, {"max", numbers(), true}};
  op.onnx_names = {{"Clip", "", 1, import}};
  define_elementwise(op, reference, scalar);
  op.examples = {"f32[2,3] f32[]=[-0.5] f32[]=[0.5]",
                 "f32[5] _ f32[]=[0.25]",
                 "f64[5] f64[]=[0]",
                 "i8[5] i8[]=[-3] i8[]=[3]",
                 "u64[5] u64[]=[2] u64[]=[4]",
                 "f16[5] f16[]=[0] f16[]=[1]"};
}

}  // namespace tenon::ops
