// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/affine.h"
#include "builder/loop/kernel.h"
#include "builder/loop/rewrite.h"
#include "builder/loop/simplify.h"

#include <set>

namespace tenon::loop {
namespace {

Status wrong(const std::string& message) { return Status(ErrorCode::internal, message); }

bool is_placeholder(const ExprPointer& node) { return node->op == ExprOp::stage && node->id < 0; }

class Verification {
 public:
  explicit Verification(const Kernel& kernel) : kernel_(kernel) {}

  Status run() {
    TENON_RETURN_IF_ERROR(axes());
    for (const Buffer& buffer : kernel_.buffers) {
      TENON_RETURN_IF_ERROR(
          ir::verify_layout(buffer.type.layout, buffer.type.rank()).with_context(buffer.name));
    }
    for (size_t s = 0; s < kernel_.stages.size(); ++s) {
      number_ = static_cast<int>(s);
      TENON_RETURN_IF_ERROR(stage(kernel_.stages[s]).with_context("stage s" + std::to_string(s)));
    }
    return {};
  }

 private:
  Status axes() {
    int count = static_cast<int>(kernel_.axes.size());
    if (kernel_.grid_rank < 0 || kernel_.grid_rank > count) {
      return wrong("the grid has more axes than the kernel");
    }
    std::set<std::string> names;
    for (int i = 0; i < count; ++i) {
      const Axis& axis = kernel_.axes[i];
      if (!names.insert(axis.name).second) return wrong("two axes are named \"" + axis.name + "\"");
      extents_[i] = axis.extent;
    }
    return {};
  }

  Status own_axis(int axis, std::set<int>& allowed) {
    bool inside = axis >= kernel_.grid_rank && axis < static_cast<int>(kernel_.axes.size());
    if (!inside) return wrong("axis " + std::to_string(axis) + " is no axis outside the grid");
    if (!allowed.insert(axis).second) {
      return wrong("axis " + kernel_.axes[axis].name + " is named twice");
    }
    return {};
  }

  Status stage(const Stage& stage) {
    std::set<int> allowed;
    for (int i = 0; i < kernel_.grid_rank; ++i) allowed.insert(i);
    for (int axis : stage.inner_axes) TENON_RETURN_IF_ERROR(own_axis(axis, allowed));
    if (stage.slot_count() == 0) return wrong("it computes nothing");
    if (stage.reduction) {
      if (!stage.values.empty()) return wrong("it has both a reduction and plain values");
      TENON_RETURN_IF_ERROR(reduction(*stage.reduction, allowed));
    }
    for (const ExprPointer& value : stage.values) {
      TENON_RETURN_IF_ERROR(expression(value, allowed, nullptr));
    }
    return store(stage, allowed);
  }

  Status reduction(const Reduction& reduction, std::set<int> allowed) {
    size_t slots = reduction.values.size();
    if (reduction.axes.empty()) return wrong("its reduction has no axes");
    for (const auto& own : reduction.axes) {
      TENON_RETURN_IF_ERROR(own_axis(own.axis, allowed));
      if (own.extent != kernel_.axes[own.axis].extent) {
        return wrong("the extent of reduction axis " + kernel_.axes[own.axis].name +
                     " differs from the kernel's");
      }
    }
    bool custom = reduction.combiner == Combiner::custom;
    if (reduction.identities.size() != slots || reduction.joined.size() != (custom ? slots : 0)) {
      return wrong("its reduction needs one identity for each slot, and a join when custom");
    }
    for (size_t i = 0; i < slots; ++i) {
      TENON_RETURN_IF_ERROR(expression(reduction.values[i], allowed, nullptr));
      if (reduction.identities[i]->op != ExprOp::constant ||
          reduction.identities[i]->type != reduction.type(static_cast<int>(i))) {
        return wrong("the identity of slot " + std::to_string(i) + " is no constant of its type");
      }
      if (!custom) continue;
      TENON_RETURN_IF_ERROR(expression(reduction.joined[i], {}, &reduction));
      if (reduction.joined[i]->type != reduction.values[i]->type) {
        return wrong("the join of slot " + std::to_string(i) + " has another type than the slot");
      }
    }
    return {};
  }

  Status expression(const ExprPointer& root, const std::set<int>& allowed,
                    const Reduction* joined) {
    if (!root) return wrong("an expression is missing");
    Status status;
    bool guarded = false;
    visit(root, [&](const ExprPointer& node) { guarded |= node->op == ExprOp::select; });
    visit(root, [&](const ExprPointer& node) {
      if (status.ok()) status = this->node(node, allowed, joined, guarded);
    });
    return status;
  }

  Status node(const ExprPointer& node, const std::set<int>& allowed, const Reduction* joined,
              bool guarded) {
    switch (node->op) {
      case ExprOp::axis:
        if (allowed.count(node->id)) return {};
        return wrong("axis " + std::to_string(node->id) + " belongs neither to it nor to the grid");
      case ExprOp::load:
        return load(*node, guarded);
      case ExprOp::stage:
        return is_placeholder(node) ? placeholder(*node, joined) : use(*node);
      case ExprOp::reduce:
        return wrong("a reduction is left inside an expression");
      default:
        return operands(*node);
    }
  }

  // The makers hold the typing rules, so rebuilding a node checks it.
  Status operands(const Expr& node) {
    if (node.args.empty()) return {};
    try {
      ExprPointer again = with_operands(node, node.args);
      if (again->type != node.type) {
        return wrong(std::string("an operation ") + to_string(node.op) + " has a wrong type");
      }
    } catch (const std::exception& problem) {
      return wrong(std::string("an operation ") + to_string(node.op) + ": " + problem.what());
    }
    return {};
  }

  Status indices(const std::vector<ExprPointer>& indices, size_t count, const std::string& of) {
    if (indices.size() != count) {
      return wrong(of + " needs " + std::to_string(count) + " indices, not " +
                   std::to_string(indices.size()));
    }
    for (const ExprPointer& index : indices) {
      if (index->type != DataType::i64) return wrong("an index of " + of + " is no i64");
    }
    return {};
  }

  Status load(const Expr& node, bool guarded) {
    if (node.id < 0 || node.id >= static_cast<int>(kernel_.buffers.size())) {
      return wrong("it loads from buffer %" + std::to_string(node.id) + ", which does not exist");
    }
    const Buffer& buffer = kernel_.buffers[node.id];
    std::string name = "buffer %" + std::to_string(node.id) + " \"" + buffer.name + "\"";
    if (buffer.written) return wrong("it loads from " + name + ", which is written");
    if (buffer.type.type != node.type) return wrong("it loads another type than that of " + name);
    TENON_RETURN_IF_ERROR(indices(node.args, buffer.type.shape.size(), name));
    for (size_t i = 0; i < node.args.size() && !guarded; ++i) {
      if (proves_outside(node.args[i], buffer.type.shape[i], extents_)) {
        return wrong("it loads outside of " + name + " along dim " + std::to_string(i) +
                     " of extent " + buffer.type.shape[i].to_string());
      }
    }
    return {};
  }

  Status placeholder(const Expr& node, const Reduction* joined) {
    bool known = joined && node.id >= -2 && node.slot >= 0 && node.args.empty() &&
                 node.slot < static_cast<int>(joined->values.size());
    if (!known || node.type != joined->type(node.slot)) {
      return wrong("a state of a reduction is used where there is none");
    }
    return {};
  }

  Status use(const Expr& node) {
    std::string name = "stage s" + std::to_string(node.id);
    if (node.id >= number_) return wrong("it uses " + name + ", which is no earlier one");
    const Stage& stage = kernel_.stages[node.id];
    if (stage.buffer >= 0) return wrong("it uses " + name + ", which is stored to a buffer");
    if (node.slot < 0 || node.slot >= stage.slot_count()) return wrong(name + " has no such slot");
    DataType type =
        stage.reduction ? stage.reduction->type(node.slot) : stage.values[node.slot]->type;
    if (type != node.type) return wrong("it uses another type than that of " + name);
    return indices(node.args, stage.inner_axes.size(), name);
  }

  Status store(const Stage& stage, const std::set<int>& allowed) {
    if (stage.buffer < 0) return {};
    if (stage.buffer >= static_cast<int>(kernel_.buffers.size()) ||
        !kernel_.buffers[stage.buffer].written) {
      return wrong("it stores to %" + std::to_string(stage.buffer) +
                   ", which is no written buffer");
    }
    const Buffer& buffer = kernel_.buffers[stage.buffer];
    std::string name = "buffer %" + std::to_string(stage.buffer) + " \"" + buffer.name + "\"";
    TENON_RETURN_IF_ERROR(indices(stage.indices, buffer.type.shape.size(), name));
    DataType type = stage.reduction ? stage.reduction->type(0) : stage.values[0]->type;
    if (type != buffer.type.type) return wrong("it stores another type than that of " + name);
    std::set<int> used;
    for (const ExprPointer& index : stage.indices) {
      TENON_RETURN_IF_ERROR(expression(index, allowed, nullptr));
      for (int axis : axes_of(index)) used.insert(axis);
    }
    for (int axis : allowed) {
      if (!used.count(axis) && kernel_.axes[axis].extent != Dim(1)) {
        return wrong("points along axis " + kernel_.axes[axis].name + " store to one element of " +
                     name);
      }
    }
    return {};
  }

  const Kernel& kernel_;
  Extents extents_;
  int number_ = 0;
};

}  // namespace

Status verify(const Kernel& kernel) {
  return Verification(kernel).run().with_context("kernel @" + kernel.name);
}

}  // namespace tenon::loop
