// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/elementwise.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"

#include <fmt/format.h>

#include <cmath>

namespace tenon::ops {
namespace {

/// By the numbers of ONNX's TensorProto.DataType.
std::optional<DataType> from_onnx(int64_t number) {
  static const std::map<int64_t, DataType> types{
      {1, DataType::f32},     {2, DataType::u8},          {3, DataType::i8},
      {4, DataType::u16},     {5, DataType::i16},         {6, DataType::i32},
      {7, DataType::i64},     {9, DataType::boolean},     {10, DataType::f16},
      {11, DataType::f64},    {12, DataType::u32},        {13, DataType::u64},
      {16, DataType::bf16},   {17, DataType::f8e4m3},     {18, DataType::f8e4m3fnuz},
      {19, DataType::f8e5m2}, {20, DataType::f8e5m2fnuz}, {21, DataType::u4},
      {22, DataType::i4},     {23, DataType::f4e2m1},     {24, DataType::f8e8m0},
      {25, DataType::u2},     {26, DataType::i2}};
  const auto found = types.find(number);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

Result<Types> infer(const OpView& op) {
  const auto to = data_type_from_string(op.text("to"));
  if (!to) return invalid(fmt::format("cast: no element type is named \"{}\"", op.text("to")));
  if (!all_types().contains(*to)) {
    return not_supported_yet(fmt::format("casts to {}", to_string(*to)));
  }
  return Types{TensorType{*to, op.type(0).shape, {}}};
}

int64_t to_integer(DataType type, double value) {
  if (type == DataType::boolean) return value != 0;
  if (std::isnan(value)) return 0;
  const bool is_signed = is_signed_integer(type);
  const double above = std::ldexp(1.0, bit_width(type) - (is_signed ? 1 : 0));
  const double lowest = is_signed ? -above : 0;
  const double whole = std::trunc(value);
  if (whole >= above) {
    const int spare = 64 - bit_width(type);
    return is_signed ? INT64_MAX >> spare : static_cast<int64_t>(~uint64_t{0} >> spare);
  }
  if (whole < lowest) return static_cast<int64_t>(lowest);
  return type == DataType::u64 ? static_cast<int64_t>(static_cast<uint64_t>(whole))
                               : static_cast<int64_t>(whole);
}

/// Dims fit into the wide types only.
std::optional<std::vector<Dim>> known(const OpView& op) {
  const std::string to = op.text("to");
  return to == "i64" || to == "i32" ? op.elements(0) : std::nullopt;
}

Status reference(const OpView&, const Operands& in, const Results& out) {
  const ReferenceTensor& x = *in[0];
  ReferenceTensor& y = *out[0];
  for (int64_t i = 0; i < x.count(); ++i) {
    if (is_float(x.type)) {
      if (is_float(y.type))
        y.reals[i] = x.reals[i];
      else
        y.integers[i] = to_integer(y.type, x.reals[i]);
    } else if (is_float(y.type)) {
      y.reals[i] = x.type == DataType::u64
                       ? static_cast<double>(static_cast<uint64_t>(x.integers[i]))
                       : static_cast<double>(x.integers[i]);
    } else {
      y.integers[i] = y.type == DataType::boolean ? x.integers[i] != 0 : x.integers[i];
    }
  }
  return {};
}

ExprPointer scalar(const OpView& op, const std::vector<ExprPointer>& x) {
  const DataType to = *data_type_from_string(op.text("to"));
  // Rounds to the stored type even where the next operator reads the value without a store between.
  if (op.type(0).type == to) return x[0];
  return loop::cast(loop::compute_type(to), loop::cast(to, x[0]));
}

Result<std::vector<Value*>> cast_to(Importer& importer, Value* value, DataType type) {
  if (value->type.type == type) return forward(value);
  return importer.node("cast", {value}, {{"to", std::string(to_string(type))}});
}

Result<std::vector<Value*>> import(const NodeView& node, Importer& importer) {
  if (!node.has(0)) return invalid("needs an input");
  const auto type = from_onnx(node.integer("to"));
  if (!type) return not_supported_yet(fmt::format("casts to ONNX type {}", node.integer("to")));
  return cast_to(importer, node.inputs[0], *type);
}

Result<std::vector<Value*>> import_like(const NodeView& node, Importer& importer) {
  if (!node.has(0) || !node.has(1)) return invalid("needs inputs input and target_type");
  return cast_to(importer, node.inputs[0], node.inputs[1]->type.type);
}

}  // namespace

TENON_OP(Cast) {
  op.name = "cast";
  op.summary = "y = x in another type; floats to integers truncate and saturate, NaN gives 0";
  op.inputs = {{"input", all_types()}};
  op.attributes = {{"to", std::string(), true}};
  op.onnx_names = {{"Cast", "", 6, import}, {"CastLike", "", 15, import_like}};
  define_elementwise(op, {}, scalar);
  op.infer = infer;
  op.is_identity = [](const OpView& view) { return view.type(0) == *view.outputs[0]; };
  op.reference = reference;
  op.known_elements = known;
  op.examples = {"f32[5]=[1.5,-1.5,300,-300,1e30] {to=\"i8\"}",
                 "f32[4]=[0,0.5,-3,1e20] {to=\"u8\"}",
                 "f32[3]=[1e30,-1e30,2.5] {to=\"i64\"}",
                 "i32[3]=[300,-1,7] {to=\"u8\"}",
                 "f32[3]=[1.0009765625,65520,3] {to=\"f16\"}",
                 "f16[4] {to=\"f32\"}",
                 "i64[3]=[0,2,-1] {to=\"bool\"}",
                 "bool[4] {to=\"f32\"}",
                 "u8[4] {to=\"i32\"}",
                 "f64[3] {to=\"f32\"}",
                 "f32[3] {to=\"bf16\"}",
                 "u64[2]=[18446744073709551615,1] {to=\"f64\"}"};
}

}  // namespace tenon::ops
