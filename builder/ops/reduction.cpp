// SPDX-License-Identifier: Apache-2.0
#include "builder/ops/reduction.h"

#include "builder/ops/axis.h"
#include "builder/ops/failure.h"
#include "builder/ops/import.h"
#include "builder/ops/point_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace tenon::ops {
namespace {

bool contains(const std::vector<int64_t>& axes, int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Result<Types> infer(const OpView& op) {
  const auto axes = op.integers("axes");
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= op.type(0).rank()) {
      return invalid(fmt::format("{}: axis {} is outside of {}", op.op, axis,
                                 ir::to_string(op.type(0).shape)));
    }
  }
  return Types{reduced_type(op.type(0), axes, op.integer("keepdims") != 0)};
}

/// Elements of each output point, gathered in the input's order.
template <typename T, typename F>
void reduce_all(const std::vector<T>& x, const std::vector<int64_t>& dims,
                const std::vector<int64_t>& axes, std::vector<T>& y, const F& join) {
  std::vector<std::vector<T>> groups(y.size());
  for_each_position(dims, [&](int64_t i, const std::vector<int64_t>& at) {
    int64_t group = 0;
    for (size_t a = 0; a < dims.size(); ++a) {
      if (!contains(axes, static_cast<int64_t>(a))) group = group * dims[a] + at[a];
    }
    groups[group].push_back(x[i]);
  });
  for (size_t g = 0; g < groups.size(); ++g) y[g] = join(groups[g]);
}

/// Axes are an attribute, or an input (Sum since 13, the others since 18); none means all, unless
/// noop_with_empty_axes says that nothing is reduced.
Import import_reduction(std::string op) {
  return [op](const NodeView& node, Importer& importer) -> Result<std::vector<Value*>> {
    if (!node.has(0)) return invalid("needs input data");
    const int rank = node.inputs[0]->type.rank();
    TENON_ASSIGN(const auto given, integers_of(node, 1, "axes"));
    std::vector<int64_t> axes;
    if (given && !given->empty()) {
      TENON_ASSIGN(axes, normal_axes(*given, rank));
    } else if (node.integer("noop_with_empty_axes") == 0) {
      for (int i = 0; i < rank; ++i) axes.push_back(i);
    } else {
      return forward(node.inputs[0]);
    }
    return importer.node(op, {node.inputs[0]},
                         {{"axes", axes}, {"keepdims", node.integer("keepdims", 1)}});
  };
}

std::optional<std::vector<Dim>> known_product(const OpView& op) {
  const auto elements = op.elements(0);
  if (!elements || op.type(0).rank() != 1 || op.integers("axes").size() != 1) return std::nullopt;
  return std::vector<Dim>{ir::element_count(*elements)};
}

}  // namespace

const TypeSet& summed_types() {
  static const TypeSet set{DataType::f64, DataType::f32, DataType::f16, DataType::bf16,
                           DataType::i64, DataType::i32, DataType::u64, DataType::u32};
  return set;
}

TensorType reduced_type(const TensorType& x, const std::vector<int64_t>& axes, bool keepdims) {
  TensorType y{x.type, {}, {}};
  for (int i = 0; i < x.rank(); ++i) {
    if (!contains(axes, i))
      y.shape.push_back(x.shape[i]);
    else if (keepdims)
      y.shape.emplace_back(1);
  }
  return y;
}

Indices reduced_source(int rank, const std::vector<int64_t>& axes, bool keepdims, const Indices& at,
                       const Indices& r) {
  Indices source;
  size_t next = 0, reduced = 0;
  for (int i = 0; i < rank; ++i) {
    if (contains(axes, i)) {
      source.push_back(r[reduced++]);
      if (keepdims) ++next;
    } else {
      source.push_back(at[next++]);
    }
  }
  return source;
}

void define_reduction(OpDefinition& op, const char* onnx, const TypeSet& types,
                      ReductionSteps steps) {
  op.kind = Kind::reduction;
  op.inputs = {{"data", types}};
  op.attributes = {{"axes", std::vector<int64_t>{}, true}, {"keepdims", int64_t{1}}};
  op.onnx_names = {{onnx, "", 1, import_reduction(op.name)}};
  op.infer = infer;
  if (steps.combiner == loop::Combiner::product) op.known_elements = known_product;
  op.reference = [steps](const OpView& view, const Operands& in, const Results& out) -> Status {
    const auto axes = view.integers("axes");
    const ReferenceTensor& x = *in[0];
    if (is_float(x.type)) {
      reduce_all(x.reals, x.dims, axes, out[0]->reals, steps.reals);
    } else {
      reduce_all(x.integers, x.dims, axes, out[0]->integers,
                 [&](const std::vector<int64_t>& group) { return steps.integers(group, x.type); });
    }
    return {};
  };
  op.lower = [steps](const OpView& view, Lowering& lowering, int, const Indices& at) {
    const TensorType& x = view.type(0);
    const auto axes = view.integers("axes");
    const bool keepdims = view.integer("keepdims") != 0;
    const auto element = [&](const Indices& r) {
      const auto value = lowering.input(0, reduced_source(x.rank(), axes, keepdims, at, r));
      return steps.prepare ? steps.prepare(value) : value;
    };
    Shape extents;
    for (const int64_t axis : axes) extents.push_back(x.shape[axis]);
    const ExprPointer total =
        axes.empty() ? element({}) : lowering.reduce(steps.combiner, extents, element);
    if (!steps.finish) return total;
    const auto count = loop::cast(total->type, loop::dim_value(ir::element_count(extents)));
    return steps.finish(total, count);
  };
  op.examples = {"f32[2,3,4] {axes=[1]}", "f32[2,3,4] {axes=[0,2],keepdims=0}",
                 "f64[5] {axes=[0]}",     "f16[2,6] {axes=[1],keepdims=0}",
                 "bf16[2,6] {axes=[1]}",  "f32[N,3] {axes=[1]}",
                 "f32[2,3] {axes=[]}"};
  if (types.contains(DataType::i32)) {
    op.examples.insert(op.examples.end(), {"i32[2,3] {axes=[0]}", "i64[4] {axes=[0],keepdims=0}"});
  }
}

}  // namespace tenon::ops
