// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/text.h"

#include "builder/ir/scanner.h"
#include "builder/loop/combiner.h"
#include "builder/loop/expression_compare.h"
#include "builder/loop/rewrite.h"

#include <charconv>
#include <cmath>
#include <unordered_map>

namespace tenon::loop {
namespace {

template <typename Number>
std::string shortest(Number value) {
  char text[40];
  auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

std::string constant_text(const Expr& node) {
  std::string type = ":" + std::string(to_string(node.type));
  if (node.type == DataType::boolean) return node.integer ? "true" : "false";
  if (!is_float(node.type)) {
    return shortest(node.integer) + (node.type == DataType::i64 ? "" : type);
  }
  std::string text =
      node.type == DataType::f32 ? shortest(static_cast<float>(node.real)) : shortest(node.real);
  if (std::isnan(node.real)) text = "nan";
  if (text.find_first_of(".enia") == std::string::npos) text += ".0";
  return text + (node.type == DataType::f32 ? "" : type);
}

// Prints expressions; a subexpression that several others use is printed once, as a line of its
// own.
class Printer {
 public:
  explicit Printer(const Kernel* kernel) : kernel_(kernel) {}

  // Lines "t0 = ..." for what these roots share.
  std::vector<std::string> shared(const std::vector<const ExprPointer*>& roots) {
    std::unordered_map<const Expr*, int> uses;
    for (const ExprPointer* root : roots) {
      ++uses[root->get()];
      visit(*root, [&](const ExprPointer& node) { seen_once(node, uses); });
    }
    std::vector<std::string> lines;
    counted_.clear();
    for (const ExprPointer* root : roots) {
      visit(*root, [&](const ExprPointer& node) {
        if (node->args.empty() || uses[node.get()] < 2 || names_.count(node.get())) return;
        std::string body = text(node);
        std::string name = "t" + std::to_string(next_++);
        names_[node.get()] = name;
        lines.push_back(name + " = " + body);
      });
    }
    return lines;
  }

  std::string text(const ExprPointer& node) const {
    if (auto name = names_.find(node.get()); name != names_.end()) return name->second;
    switch (node->op) {
      case ExprOp::constant:
        return constant_text(*node);
      case ExprOp::axis:
        return axis_text(node->id);
      case ExprOp::dim:
        return "dim(" + node->dim.to_string() + ")";
      case ExprOp::load:
        return "load(%" + std::to_string(node->id) + (node->args.empty() ? "" : ", ") +
               list(node->args) + ")";
      case ExprOp::stage:
        return stage_text(*node);
      case ExprOp::reduce:
        return "reduce(" + list(node->reduction->values) + ")";
      case ExprOp::cast:
      case ExprOp::bitcast:
        return std::string(to_string(node->op)) + "(" + std::string(to_string(node->type)) + ", " +
               list(node->args) + ")";
      default:
        return std::string(to_string(node->op)) + "(" + list(node->args) + ")";
    }
  }

  std::string list(const std::vector<ExprPointer>& expressions) const {
    std::string result;
    for (const ExprPointer& part : expressions) result += (result.empty() ? "" : ", ") + text(part);
    return result;
  }

  std::string axis_text(int number) const {
    bool known = kernel_ && number >= 0 && number < static_cast<int>(kernel_->axes.size());
    return known ? kernel_->axes[number].name : "i" + std::to_string(number);
  }

 private:
  void seen_once(const ExprPointer& node, std::unordered_map<const Expr*, int>& uses) {
    // Each node's operands count once, however many roots reach the node.
    if (!counted_.try_emplace(node.get(), true).second) return;
    for (const ExprPointer& arg : node->args) ++uses[arg.get()];
  }

  std::string stage_text(const Expr& node) const {
    std::string result = node.id == -1   ? "state"
                         : node.id == -2 ? "next"
                                         : "s" + std::to_string(node.id);
    if (node.slot != 0) result += "." + std::to_string(node.slot);
    return node.args.empty() ? result : result + "(" + list(node.args) + ")";
  }

  const Kernel* kernel_;
  std::unordered_map<const Expr*, std::string> names_;
  std::unordered_map<const Expr*, bool> counted_;
  int next_ = 0;
};

std::string tuple(const Printer& printer, const std::vector<ExprPointer>& expressions) {
  std::string text = printer.list(expressions);
  return expressions.size() == 1 ? text : "(" + text + ")";
}

bool standard_identities(const Reduction& reduction) {
  for (const ExprPointer& part : reduction.identities) {
    ExprPointer standard = identity(reduction.combiner, part->type);
    if (!standard || !equal(standard, part)) return false;
  }
  return true;
}

std::string reduction_text(const Kernel& kernel, const Printer& printer,
                           const Reduction& reduction) {
  std::string text = to_string(reduction.combiner);
  text += "(";
  for (size_t i = 0; i < reduction.axes.size(); ++i) {
    const Axis& axis = kernel.axes[reduction.axes[i].axis];
    text += (i ? ", " : "") + axis.name + "<" + reduction.axes[i].extent.to_string();
  }
  text += ")";
  if (!standard_identities(reduction)) text += " from " + tuple(printer, reduction.identities);
  if (!reduction.joined.empty()) text += " join " + tuple(printer, reduction.joined);
  return text + " : " + tuple(printer, reduction.values);
}

std::vector<const ExprPointer*> roots_of(const Stage& stage) {
  std::vector<const ExprPointer*> roots;
  auto gather = [&](const std::vector<ExprPointer>& list) {
    for (const ExprPointer& part : list) roots.push_back(&part);
  };
  gather(stage.values);
  // A join names its operands "state" and "next", which a line of its own cannot.
  if (stage.reduction) gather(stage.reduction->values);
  return roots;
}

std::string stage_text(const Kernel& kernel, Printer& printer, size_t number) {
  const Stage& stage = kernel.stages[number];
  std::string text;
  for (const std::string& line : printer.shared(roots_of(stage))) text += "  " + line + "\n";
  std::string inner;
  for (int axis : stage.inner_axes) inner += (inner.empty() ? "" : ", ") + kernel.axes[axis].name;
  if (stage.buffer >= 0) {
    text += "  %" + std::to_string(stage.buffer) + "[" + printer.list(stage.indices) + "]";
    if (!inner.empty()) text += " over [" + inner + "]";
  } else {
    text += "  s" + std::to_string(number);
    if (!inner.empty()) text += "[" + inner + "]";
  }
  text += " = ";
  text += stage.reduction ? reduction_text(kernel, printer, *stage.reduction)
                          : tuple(printer, stage.values);
  return text + "\n";
}

}  // namespace

std::string to_string(const ExprPointer& expression) {
  Printer printer(nullptr);
  std::string text;
  for (const std::string& line : printer.shared({&expression})) text += line + "; ";
  return text + printer.text(expression);
}

std::string to_string(const Kernel& kernel) {
  std::string text = "kernel @" + ir::quote_unless_identifier(kernel.name) + " {\n  grid";
  for (int i = 0; i < kernel.grid_rank; ++i) {
    text += (i ? ", " : " ") + kernel.axes[i].name + "<" + kernel.axes[i].extent.to_string();
  }
  text += "\n";
  for (size_t i = kernel.grid_rank; i < kernel.axes.size(); ++i) {
    text += "  axis " + kernel.axes[i].name + "<" + kernel.axes[i].extent.to_string() + "\n";
  }
  if (kernel.operations > 0) text += "  operations " + shortest(kernel.operations) + "\n";
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    const Buffer& buffer = kernel.buffers[i];
    text += "  %" + std::to_string(i) + " " + ir::quote(buffer.name) + " : " +
            ir::to_string(buffer.type) + (buffer.written ? " out" : "") +
            (buffer.constant ? " const" : "") + "\n";
  }
  Printer printer(&kernel);
  for (size_t i = 0; i < kernel.stages.size(); ++i) text += stage_text(kernel, printer, i);
  return text + "}\n";
}

}  // namespace tenon::loop
