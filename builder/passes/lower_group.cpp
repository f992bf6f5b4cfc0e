// SPDX-License-Identifier: Apache-2.0
#include "builder/passes/lower_group.h"

#include "builder/loop/combiner.h"
#include "builder/loop/count_operations.h"
#include "builder/loop/expression_compare.h"
#include "builder/loop/extract_stages.h"
#include "builder/loop/simplify.h"
#include "builder/ops/op.h"

#include <cstring>
#include <map>
#include <stdexcept>

namespace tenon::passes {
namespace {

using loop::ExprPointer;
using ops::Indices;

std::string describe(const ir::Node& node) {
  std::string text = node.op();
  for (const std::string& origin : node.origins) text += " \"" + origin + "\"";
  return text;
}

// What lowering cannot express, found deep inside an operator's lowering.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The one value that every element of a constant has, in its compute type; null when they differ.
ExprPointer splat(const TensorData& data) {
  int64_t count = 1;
  for (int64_t dim : data.dims) count *= dim;
  int bits = bit_width(data.type);
  if (count < 1 || bits < 8) return nullptr;
  size_t size = static_cast<size_t>(bits / 8);
  for (int64_t i = 1; i < count; ++i) {
    if (std::memcmp(data.bytes.data(), data.bytes.data() + size * static_cast<size_t>(i), size) !=
        0) {
      return nullptr;
    }
  }
  TensorData element{data.type, {}, data.bytes.first(size), data.owner};
  ops::ReferenceTensor value = ops::to_reference(element);
  DataType type = loop::compute_type(data.type);
  return is_float(type) ? loop::real_constant(type, value.reals[0])
                        : loop::integer_constant(type, value.integers[0]);
}

class GroupLowering {
 public:
  explicit GroupLowering(const ir::Node& node) : node_(node) {}

  loop::Kernel run() {
    kernel_.name = node_.op();
    bool group = node_.op() == ir::Node::kGroupOp;
    const ir::Region* region = group ? node_.regions().front().get() : nullptr;
    for (int i = 0; i < node_.input_count(); ++i) {
      const ir::Value* outer = node_.input(i);
      if (!outer) continue;
      add_input(*outer, region ? region->parameter(i) : outer);
    }
    std::vector<loop::OutputExpression> outputs;
    for (int i = 0; i < node_.output_count(); ++i) {
      outputs.push_back(output(*node_.output(i), region ? region->results()[i] : node_.output(i)));
    }
    loop::extract_stages(kernel_, outputs, extents_);
    loop::share_expensive_values(kernel_);
    kernel_.operations = loop::count_operations(kernel_, node_.parent()->graph()->symbols);
    return std::move(kernel_);
  }

  // Element of a value of the region (or of the node's inputs), in its compute type.
  ExprPointer element(const ir::Value& value, const Indices& indices) {
    Indices simple;
    for (const ExprPointer& index : indices) {
      simple.push_back(table_.intern(loop::simplify(index, extents_)));
    }
    if (simple.size() != value.type.shape.size()) {
      throw std::invalid_argument("an element is asked for with " + std::to_string(simple.size()) +
                                  " indices of a value of rank " +
                                  std::to_string(value.type.rank()));
    }
    auto key = std::make_pair(&value, simple);
    if (auto known = elements_.find(key); known != elements_.end()) return known->second;
    ExprPointer result = make_element(value, simple);
    if (!result || result->type != loop::compute_type(value.type.type)) {
      throw std::invalid_argument("an element of a value of type " +
                                  std::string(to_string(value.type.type)) +
                                  " has an expression of another type");
    }
    elements_.emplace(std::move(key), result);
    return result;
  }

  // Fresh reduction axes; an axis of extent 1 is the constant 0 and none at all.
  Indices reduction_axes(const std::vector<ir::Dim>& extents, bool keep_one,
                         std::vector<loop::Reduction::ReduceAxis>& axes) {
    Indices indices;
    for (const ir::Dim& extent : extents) {
      bool last_chance = keep_one && axes.empty() && indices.size() + 1 == extents.size();
      if (extent == ir::Dim(1) && !last_chance) {
        indices.push_back(loop::index_constant(0));
        continue;
      }
      axes.push_back({next_axis_, extent});
      indices.push_back(new_axis(extent));
    }
    return indices;
  }

 private:
  void add_input(const ir::Value& outer, const ir::Value* inner) {
    const TensorData* data = ir::Graph::constant_of(&outer);
    loop::Buffer buffer;
    buffer.name = outer.name;
    buffer.type = outer.type;
    buffer.constant = data != nullptr;
    buffers_.try_emplace(inner, static_cast<int>(kernel_.buffers.size()));
    if (data) {
      if (ExprPointer number = splat(*data)) splats_[inner] = number;
    }
    kernel_.buffers.push_back(std::move(buffer));
  }

  ExprPointer new_axis(const ir::Dim& extent) {
    extents_[next_axis_] = extent;
    return loop::axis(next_axis_++);
  }

  // Axes run in memory order, so that the last one has unit stride. Values of equal leading extents
  // share these axes, which lets them share the grid.
  std::vector<int> output_axes(const std::vector<ir::Dim>& dims) {
    std::vector<int> axes;
    bool shared = true;
    for (size_t i = 0; i < dims.size(); ++i) {
      shared = shared && i < first_axes_.size() && extents_.at(first_axes_[i]) == dims[i];
      if (shared) {
        axes.push_back(first_axes_[i]);
      } else {
        axes.push_back(next_axis_);
        new_axis(dims[i]);
      }
    }
    if (first_axes_.empty()) first_axes_ = axes;
    return axes;
  }

  loop::OutputExpression output(const ir::Value& outer, const ir::Value* inner) {
    const ir::TensorType& type = outer.type;
    check_stored(type.type);
    if (is_float(type.type) && bit_width(type.type) == 8) {
      throw Unsupported("not supported yet: an output of type " +
                        std::string(to_string(type.type)));
    }
    std::vector<ir::Dim> physical = ir::physical_dims(type.layout, type.shape);
    std::vector<int> axes = output_axes(physical);
    Indices indices(type.shape.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      size_t logical = type.layout.permutation.empty() ? i : type.layout.permutation[i];
      indices[logical] = loop::axis(axes[i]);
    }
    for (size_t b = 0; b < type.layout.blocks.size(); ++b) {
      const auto& block = type.layout.blocks[b];
      if (!ir::Dim::exact_div(type.shape[block.axis], block.size)) {
        throw Unsupported("not supported yet: an output in blocks of " +
                          std::to_string(block.size) + " whose dim " +
                          type.shape[block.axis].to_string() + " they do not divide");
      }
      indices[block.axis] = indices[block.axis] * loop::index_constant(block.size) +
                            loop::axis(axes[type.shape.size() + b]);
    }
    loop::OutputExpression result;
    result.buffer = static_cast<int>(kernel_.buffers.size());
    result.axes = axes;
    result.indices = indices;
    result.value = loop::cast(type.type, element(*inner, indices));
    loop::Buffer buffer;
    buffer.name = outer.name;
    buffer.type = type;
    buffer.written = true;
    kernel_.buffers.push_back(std::move(buffer));
    return result;
  }

  static void check_stored(DataType type) {
    if (bit_width(type) < 8) {
      throw Unsupported("not supported yet: elements of type " + std::string(to_string(type)) +
                        " in a kernel");
    }
  }

  ExprPointer make_element(const ir::Value& value, const Indices& indices);

  const ir::Node& node_;
  loop::Kernel kernel_;
  loop::ExpressionTable table_;
  loop::Extents extents_;
  int next_axis_ = 0;
  std::vector<int> first_axes_;
  std::map<const ir::Value*, int> buffers_;
  std::map<const ir::Value*, ExprPointer> splats_;
  std::map<std::pair<const ir::Value*, Indices>, ExprPointer> elements_;
};

class NodeLowering : public ops::Lowering {
 public:
  NodeLowering(GroupLowering& group, const ir::Node& node) : group_(group), node_(node) {}

  ExprPointer input(int input, const Indices& indices) override {
    if (!node_.input(input)) throw std::invalid_argument("a left-out input is read");
    return group_.element(*node_.input(input), indices);
  }

  ExprPointer reduce(loop::Combiner combiner, const std::vector<ir::Dim>& extents,
                     const std::function<ExprPointer(const Indices&)>& body) override {
    auto reduction = std::make_shared<loop::Reduction>();
    Indices indices = group_.reduction_axes(extents, false, reduction->axes);
    ExprPointer value = body(indices);
    if (reduction->axes.empty()) return value;
    reduction->combiner = combiner;
    reduction->values = {value};
    reduction->identities = {loop::identity(combiner, value->type)};
    if (!reduction->identities[0]) {
      throw std::invalid_argument("a reduction has a combiner that does not fit its type");
    }
    return loop::reduce(reduction);
  }

  std::vector<ExprPointer> reduce(
      const std::vector<ir::Dim>& extents, const std::vector<ExprPointer>& identities,
      const std::function<std::vector<ExprPointer>(const Indices&)>& body,
      const std::function<std::vector<ExprPointer>(
          const std::vector<ExprPointer>&, const std::vector<ExprPointer>&)>& join) override {
    auto reduction = std::make_shared<loop::Reduction>();
    reduction->combiner = loop::Combiner::custom;
    Indices indices = group_.reduction_axes(extents, true, reduction->axes);
    reduction->values = body(indices);
    if (reduction->axes.empty()) return reduction->values;
    reduction->identities = identities;
    std::vector<ExprPointer> state, next;
    for (size_t slot = 0; slot < identities.size(); ++slot) {
      DataType type = identities[slot]->type;
      state.push_back(loop::stage_value(-1, static_cast<int>(slot), type));
      next.push_back(loop::stage_value(-2, static_cast<int>(slot), type));
    }
    reduction->joined = join(state, next);
    std::vector<ExprPointer> results;
    for (size_t slot = 0; slot < identities.size(); ++slot) {
      results.push_back(loop::reduce(reduction, static_cast<int>(slot)));
    }
    return results;
  }

 private:
  GroupLowering& group_;
  const ir::Node& node_;
};

ExprPointer GroupLowering::make_element(const ir::Value& value, const Indices& indices) {
  if (auto known = splats_.find(&value); known != splats_.end()) return known->second;
  if (auto buffer = buffers_.find(&value); buffer != buffers_.end()) {
    check_stored(value.type.type);
    return loop::cast(loop::compute_type(value.type.type),
                      loop::load(buffer->second, value.type.type, indices));
  }
  const ir::Node* producer = value.producer();
  if (!producer) throw std::invalid_argument("a parameter of the group has no input");
  if (const TensorData* data = ir::Graph::constant_of(&value)) {
    if (ExprPointer number = splat(*data)) return number;
    throw std::invalid_argument("a constant of more than one value is inside the group");
  }
  const ops::OpDefinition* definition = ops::find(producer->op());
  bool lowers = definition && (definition->lower || definition->scalar);
  NodeLowering lowering(*this, *producer);
  ExprPointer result =
      lowers ? ops::lower_element(*producer, lowering, value.index(), indices) : nullptr;
  if (!result) throw Unsupported("not supported yet: a kernel for " + describe(*producer));
  return result;
}

}  // namespace

Result<loop::Kernel> lower_group(const ir::Node& node) {
  try {
    loop::Kernel kernel = GroupLowering(node).run();
    TENON_RETURN_IF_ERROR(loop::verify(kernel).with_context(describe(node)));
    return kernel;
  } catch (const Unsupported& problem) {
    return Status(ErrorCode::unsupported, describe(node) + ": " + problem.what());
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::out_of_memory, describe(node) + ": no memory to lower it");
  } catch (const std::exception& problem) {
    return Status(ErrorCode::internal, describe(node) + ": " + problem.what());
  }
}

}  // namespace tenon::passes
