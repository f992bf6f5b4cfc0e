// SPDX-License-Identifier: Apache-2.0
// What an operator is. One file per operator registers one definition; ops.def lists them.
#pragma once

#include "builder/ir/graph.h"
#include "builder/loop/expression.h"

#include <tenon/network.h>
#include <tenon/status.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::ops {

using ir::Dim;
using ir::Shape;
using ir::TensorType;
using ir::Value;
using loop::ExprPointer;

/// An operator as the functions below see it: a node, or one about to be made.
struct OpView {
  const std::string& op;
  const Attributes& attributes;
  std::vector<const TensorType*> inputs;    ///< null: left out
  std::vector<const Value*> values;         ///< the same inputs as values, for constants and known elements
  std::vector<const TensorType*> outputs;   ///< empty during inference
  int output_count = 1;

  bool has(int input) const { return input < static_cast<int>(inputs.size()) && inputs[input]; }
  const TensorType& type(int input) const { return *inputs[input]; }
  int64_t integer(std::string_view name, int64_t otherwise = 0) const;
  double real(std::string_view name, double otherwise = 0) const;
  std::string text(std::string_view name, std::string otherwise = "") const;
  std::vector<int64_t> integers(std::string_view name) const;
  /// Elements of an integer input known at build: a constant, or dims of a shape computation.
  std::optional<std::vector<Dim>> elements(int input) const;
  const TensorData* constant(int input) const;
};
/// The view of a node of a graph.
OpView view(const ir::Node& node);

/// Output types of an operator; layouts are natural.
using Types = std::vector<TensorType>;

/// A tensor of the reference: floats of every width in double, integers and bool in int64 (u64 by its
/// bits). Row-major. Floats hold values that their type can represent.
struct ReferenceTensor {
  DataType type = DataType::f32;
  std::vector<int64_t> dims;
  std::vector<double> reals;        ///< when is_float(type)
  std::vector<int64_t> integers;    ///< otherwise
  int64_t count() const;
};
/// Operands: null where left out. Results: `type` and `dims` are set and the vector is sized on entry.
using Operands = std::vector<const ReferenceTensor*>;
using Results = std::vector<ReferenceTensor*>;

/// Index of a point, one i64 expression for each axis.
using Indices = std::vector<ExprPointer>;

/// What an operator's lowering may ask for. The expressions it gets are already those of the producers in
/// the same kernel, so that pointwise and movement operators fuse by construction.
class Lowering {
 public:
  virtual ~Lowering() = default;
  /// Element of an input, in its compute type (f16, bf16 -> f32). Indices must be inside the shape
  /// wherever the result is used; guard with select.
  virtual ExprPointer input(int input, const Indices& indices) = 0;
  /// Reduces `body(r)` over fresh axes of these extents. The accumulator has the type of the body.
  virtual ExprPointer reduce(loop::Combiner combiner, const std::vector<Dim>& extents,
                             const std::function<ExprPointer(const Indices&)>& body) = 0;
  /// Several slots at once with a custom join, e.g. argmax. `join(state, next)` gives the new state.
  virtual std::vector<ExprPointer> reduce(
      const std::vector<Dim>& extents, const std::vector<ExprPointer>& identities,
      const std::function<std::vector<ExprPointer>(const Indices&)>& body,
      const std::function<std::vector<ExprPointer>(const std::vector<ExprPointer>& state,
                                                   const std::vector<ExprPointer>& next)>& join) = 0;
};

/// How an ONNX node becomes graph nodes.
struct NodeView {
  const NodeDescription& node;     ///< op_type, domain, opset, attributes
  std::vector<Value*> inputs;      ///< null: left out
  int output_count = 1;
  mutable std::string mismatched = {};  ///< an attribute that was read as another kind than it has

  bool has(int input) const { return input < static_cast<int>(inputs.size()) && inputs[input]; }
  int64_t opset() const { return node.opset; }
  bool has_attribute(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise = 0) const;
  double real(std::string_view name, double otherwise = 0) const;
  std::string text(std::string_view name, std::string otherwise = "") const;
  std::vector<int64_t> integers(std::string_view name) const;
};

/// Makes nodes while importing: types are inferred, origins set.
class Importer {
 public:
  virtual ~Importer() = default;
  /// A node of graph operator `op`; its outputs.
  virtual Result<std::vector<Value*>> node(const std::string& op, const std::vector<Value*>& inputs,
                                           Attributes attributes = {}, int output_count = 1) = 0;
  virtual Value* constant(TensorData data) = 0;
};
/// The first output of importer.node.
Result<Value*> single(Importer& importer, const std::string& op, const std::vector<Value*>& inputs,
                      Attributes attributes = {});

using Import = std::function<Result<std::vector<Value*>>(const NodeView&, Importer&)>;

/// Element types that an input takes.
using TypeSet = std::set<DataType>;
const TypeSet& floats();            ///< f64 f32 f16 bf16
const TypeSet& signed_numbers();    ///< floats and signed integers of 8 bits and more
const TypeSet& numbers();           ///< floats and all integers of 8 bits and more
const TypeSet& integers();
const TypeSet& booleans();
const TypeSet& all_types();         ///< numbers and bool: what is executed today
const TypeSet& any_types();         ///< every element type, for operators that only move or describe

enum class Kind : uint8_t { elementwise, movement, reduction, contraction, folded, import_only };

/// |a - b| <= absolute + relative*|b|.
struct Tolerance { double absolute = 0, relative = 0; };

/// A definition under construction; every setter returns *this.
class OpDefinition {
 public:
  struct Input { std::string name; TypeSet types; bool optional = false, variadic = false; };
  struct Attribute { std::string name; AttributeValue otherwise; bool required = false; };
  struct OnnxName { std::string name, domain; int64_t since = 1; Import import; };

  std::string name;      ///< of the graph operator: "conv"
  std::string summary;   ///< one line with the formula, for the table in the docs
  Kind kind = Kind::elementwise;
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;   ///< node attributes; one equal to its default is not stored
  std::vector<OnnxName> onnx_names;

  /// Output types, or why these inputs are wrong. Required.
  std::function<Result<Types>(const OpView&)> infer;
  /// Outputs' known elements, for shape computations. Optional.
  std::function<std::optional<std::vector<Dim>>(const OpView&)> known_elements;
  /// The oracle. Plain and separate from the lowering. Required, except for import_only.
  std::function<Status(const OpView&, const Operands&, const Results&)> reference;
  /// Elementwise operators: the value at a point from the operands' values (compute types). Operands are
  /// broadcast. The result has the compute type of the output.
  std::function<ExprPointer(const OpView&, const std::vector<ExprPointer>&)> scalar;
  /// Others: element `indices` of output `output`, in its compute type.
  std::function<ExprPointer(const OpView&, Lowering&, int output, const Indices& indices)> lower;
  /// Works on channels (axis 1) and windows of space: runs best with channels innermost in memory.
  bool is_spatial = false;
  /// f(a, b) == f(b, a)
  bool is_commutative = false;
  /// Whether this use of the operator gives its first input as it is. Optional.
  std::function<bool(const OpView&)> is_identity;
  /// True when the output is the input's bytes (a reshape of a natural layout): no kernel is needed.
  bool is_view = false;
  /// Operations per output element besides what a reduction counts, for reports.
  std::function<double(const OpView&)> operations;
  std::map<DataType, Tolerance> tolerances;   ///< overrides of the defaults of the operator suite
  /// Texts for the parametrised tests: "f32[2,3] f32[3]" or "f32[2,3] {axis=1}".
  std::vector<std::string> examples;
};

/// The definition of a graph operator, or null.
const OpDefinition* find(std::string_view name);
/// The importer of an ONNX operator at an opset, or why there is none.
Result<const Import*> find_import(std::string_view domain, std::string_view op_type, int64_t opset);
/// All, sorted by name.
const std::vector<const OpDefinition*>& all();

/// Schema check and inference for a node of `definition`.
Result<Types> infer_types(const OpDefinition& definition, const OpView& op);
/// Checks the schema of every operator node, and that inference gives its output types up to layout.
Status verify_operators(const ir::Graph& graph);

/// Runs the reference of one node. f32, f16 and bf16 results are rounded to their type.
Status run_reference(const ir::Node& node, const Operands& operands, const Results& results);

/// Element `indices` of output `output` of `node`: scalar with broadcasting, or lower.
ExprPointer lower_element(const ir::Node& node, Lowering& lowering, int output, const Indices& indices);

/// To the nearest value of f32, f16 or bf16, ties to even, once; other types unchanged.
double round_to_type(DataType type, double value);
/// Conversions between stored bytes and the reference's form.
ReferenceTensor to_reference(const TensorData& data);
TensorData to_tensor_data(const ReferenceTensor& tensor);

}  // namespace tenon::ops

/// Defines operator file `Name`: `TENON_OP(Relu) { op.name = "relu"; ... }`. Listed in ops.def.
#define TENON_OP(Name) void define_##Name([[maybe_unused]] ::tenon::ops::OpDefinition& op)
