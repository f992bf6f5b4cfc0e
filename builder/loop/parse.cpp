// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/type_scanner.h"
#include "builder/loop/combiner.h"
#include "builder/loop/rewrite.h"
#include "builder/loop/text.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>

namespace tenon::loop {
namespace {

constexpr int kMaximumDepth = 2000;

class Parser {
 public:
  explicit Parser(std::string_view text) : scanner_(text) {}

  Result<Kernel> run() {
    TENON_RETURN_IF_ERROR(scanner_.expect("kernel"));
    TENON_RETURN_IF_ERROR(scanner_.expect("@"));
    TENON_ASSIGN(kernel_.name, scanner_.name("the kernel's name"));
    TENON_RETURN_IF_ERROR(scanner_.expect("{"));
    TENON_RETURN_IF_ERROR(scanner_.expect("grid"));
    while (scanner_.at_name() && !at_line("axis") && !at_line("operations") && !at_definition()) {
      TENON_RETURN_IF_ERROR(axis());
      scanner_.accept(",");
    }
    kernel_.grid_rank = static_cast<int>(kernel_.axes.size());
    while (!scanner_.accept("}")) TENON_RETURN_IF_ERROR(line());
    TENON_RETURN_IF_ERROR(scanner_.expect_end());
    return std::move(kernel_);
  }

 private:
  bool at_line(std::string_view word) {
    size_t position = scanner_.position();
    bool found = scanner_.accept(word) && scanner_.peek() != '<';
    scanner_.set_position(position);
    return found;
  }

  // "s0 = ..." or "s0[i1] = ..."
  bool at_definition() {
    size_t position = scanner_.position();
    auto name = scanner_.name("a name");
    bool found = name.ok() && scanner_.peek() != '<';
    scanner_.set_position(position);
    return found;
  }

  Status axis() {
    TENON_ASSIGN(std::string name, scanner_.name("an axis"));
    TENON_RETURN_IF_ERROR(scanner_.expect("<"));
    TENON_ASSIGN(Dim extent, ir::parse_dim(scanner_));
    if (!axes_.try_emplace(name, static_cast<int>(kernel_.axes.size())).second) {
      return scanner_.error("two axes are named \"" + name + "\"");
    }
    kernel_.axes.push_back({name, extent});
    return {};
  }

  Status line() {
    if (at_line("axis")) {
      scanner_.accept("axis");
      return axis();
    }
    if (at_line("operations")) {
      scanner_.accept("operations");
      TENON_ASSIGN(kernel_.operations, real(scanner_.number_token()));
      return {};
    }
    if (scanner_.accept("%")) return buffer_or_store();
    TENON_ASSIGN(std::string name, scanner_.name("a buffer, an axis or a stage"));
    Stage stage;
    if (scanner_.peek() == '[') {
      TENON_ASSIGN(stage.inner_axes, axis_list());
    }
    TENON_RETURN_IF_ERROR(scanner_.expect("="));
    if (name == "s" + std::to_string(kernel_.stages.size())) return this->stage(std::move(stage));
    if (name[0] != 't') return scanner_.error("\"" + name + "\" is not the next stage");
    TENON_ASSIGN(shared_[name], expression(0));
    return {};
  }

  Status buffer_or_store() {
    TENON_ASSIGN(int64_t number, scanner_.integer("a buffer's number"));
    Stage stage;
    stage.buffer = static_cast<int>(number);
    if (scanner_.peek() != '[') return buffer(number);
    scanner_.accept("[");
    TENON_ASSIGN(stage.indices, list("]"));
    if (scanner_.accept("over")) {
      TENON_ASSIGN(stage.inner_axes, axis_list());
    }
    TENON_RETURN_IF_ERROR(scanner_.expect("="));
    return this->stage(std::move(stage));
  }

  Status buffer(int64_t number) {
    if (number != static_cast<int64_t>(kernel_.buffers.size())) {
      return scanner_.error("buffers must be numbered in order");
    }
    Buffer buffer;
    TENON_ASSIGN(buffer.name, scanner_.quoted());
    TENON_RETURN_IF_ERROR(scanner_.expect(":"));
    TENON_ASSIGN(buffer.type, ir::parse_type(scanner_));
    buffer.written = scanner_.accept("out");
    buffer.constant = scanner_.accept("const");
    kernel_.buffers.push_back(std::move(buffer));
    return {};
  }

  Result<int> axis_number() {
    TENON_ASSIGN(std::string name, scanner_.name("an axis"));
    auto found = axes_.find(name);
    if (found == axes_.end()) return scanner_.error("there is no axis \"" + name + "\"");
    return found->second;
  }

  Result<std::vector<int>> axis_list() {
    std::vector<int> result;
    TENON_RETURN_IF_ERROR(scanner_.expect("["));
    while (!scanner_.accept("]")) {
      TENON_ASSIGN(int number, axis_number());
      result.push_back(number);
      scanner_.accept(",");
    }
    return result;
  }

  Status stage(Stage stage) {
    stage.name = "s" + std::to_string(kernel_.stages.size());
    for (int i = 0; i < kCombinerCount; ++i) {
      size_t position = scanner_.position();
      auto combiner = static_cast<Combiner>(i);
      if (!scanner_.accept(to_string(combiner)) || !scanner_.accept("(")) {
        scanner_.set_position(position);
        continue;
      }
      // "minimum(i0<8)" is a reduction, "minimum(i0, i1)" an expression.
      bool reduces = scanner_.name("an axis").ok() && scanner_.peek() == '<';
      scanner_.set_position(position);
      if (!reduces) continue;
      scanner_.accept(to_string(combiner));
      TENON_ASSIGN(stage.reduction, reduction(combiner));
      kernel_.stages.push_back(std::move(stage));
      return {};
    }
    TENON_ASSIGN(stage.values, tuple());
    kernel_.stages.push_back(std::move(stage));
    return {};
  }

  Result<std::shared_ptr<const Reduction>> reduction(Combiner combiner) {
    auto result = std::make_shared<Reduction>();
    result->combiner = combiner;
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    do {
      Reduction::ReduceAxis own;
      TENON_ASSIGN(own.axis, axis_number());
      TENON_RETURN_IF_ERROR(scanner_.expect("<"));
      TENON_ASSIGN(own.extent, ir::parse_dim(scanner_));
      result->axes.push_back(own);
    } while (scanner_.accept(","));
    TENON_RETURN_IF_ERROR(scanner_.expect(")"));
    if (scanner_.accept("from")) {
      TENON_ASSIGN(result->identities, tuple());
    }
    state_ = result.get();
    if (scanner_.accept("join")) {
      TENON_ASSIGN(result->joined, tuple());
    }
    state_ = nullptr;
    TENON_RETURN_IF_ERROR(scanner_.expect(":"));
    TENON_ASSIGN(result->values, tuple());
    if (result->identities.empty()) {
      for (const ExprPointer& value : result->values) {
        ExprPointer standard = identity(combiner, value->type);
        if (!standard) return scanner_.error("this reduction needs identities: \"from ...\"");
        result->identities.push_back(standard);
      }
    }
    return std::shared_ptr<const Reduction>(result);
  }

  Result<std::vector<ExprPointer>> tuple() {
    if (scanner_.accept("(")) return list(")");
    TENON_ASSIGN(ExprPointer single, expression(0));
    return std::vector<ExprPointer>{single};
  }

  Result<std::vector<ExprPointer>> list(std::string_view close, int depth = 0) {
    std::vector<ExprPointer> result;
    while (!scanner_.accept(close)) {
      if (!result.empty()) TENON_RETURN_IF_ERROR(scanner_.expect(","));
      TENON_ASSIGN(ExprPointer part, expression(depth + 1));
      result.push_back(part);
    }
    return result;
  }

  Result<double> real(std::string_view token) {
    std::string text(token);
    char* end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') return scanner_.error("\"" + text + "\" is no number");
    return value;
  }

  Result<ExprPointer> number(std::string_view token) {
    bool is_real = token.find_first_of(".enia") != std::string_view::npos;
    DataType type = is_real ? DataType::f32 : DataType::i64;
    size_t position = scanner_.position();
    if (scanner_.accept(":")) {
      auto name = scanner_.name("an element type");
      auto given = name.ok() ? data_type_from_string(*name) : std::nullopt;
      if (given) {
        type = *given;
      } else {
        scanner_.set_position(position);
      }
    }
    if (is_float(type)) {
      TENON_ASSIGN(double value, real(token));
      return real_constant(type, value);
    }
    int64_t value = 0;
    auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size()) {
      return scanner_.error("\"" + std::string(token) + "\" is no integer");
    }
    return integer_constant(type, value);
  }

  Result<ExprPointer> expression(int depth) {
    if (depth > kMaximumDepth) return scanner_.error("expressions nest too deeply");
    char first = scanner_.peek();
    if (first == '-' || (first >= '0' && first <= '9')) return number(scanner_.number_token());
    TENON_ASSIGN(std::string word, scanner_.name("an expression"));
    if (auto found = shared_.find(word); found != shared_.end()) return found->second;
    if (auto found = axes_.find(word); found != axes_.end()) return loop::axis(found->second);
    if (word == "true" || word == "false")
      return integer_constant(DataType::boolean, word == "true");
    if (word == "inf" || word == "nan") return number(word);
    if (word == "dim") return dim();
    if (word == "load") return load(depth);
    bool by_value = word == to_string(ExprOp::cast);
    if (by_value || word == to_string(ExprOp::bitcast)) return conversion(by_value, depth);
    for (int i = static_cast<int>(ExprOp::negate); i < kExprOpCount; ++i) {
      if (word == to_string(static_cast<ExprOp>(i)))
        return operation(static_cast<ExprOp>(i), depth);
    }
    return use(word, depth);
  }

  Result<ExprPointer> dim() {
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    TENON_ASSIGN(Dim value, ir::parse_dim(scanner_));
    TENON_RETURN_IF_ERROR(scanner_.expect(")"));
    return dim_value(value);
  }

  Result<ExprPointer> load(int depth) {
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    TENON_RETURN_IF_ERROR(scanner_.expect("%"));
    TENON_ASSIGN(int64_t buffer, scanner_.integer("a buffer's number"));
    if (buffer < 0 || buffer >= static_cast<int64_t>(kernel_.buffers.size())) {
      return scanner_.error("there is no buffer %" + std::to_string(buffer));
    }
    scanner_.accept(",");
    TENON_ASSIGN(auto indices, list(")", depth));
    return loop::load(static_cast<int>(buffer), kernel_.buffers[buffer].type.type, indices);
  }

  Result<ExprPointer> conversion(bool by_value, int depth) {
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    TENON_ASSIGN(std::string name, scanner_.name("an element type"));
    auto type = data_type_from_string(name);
    if (!type) return scanner_.error("\"" + name + "\" is no element type");
    TENON_RETURN_IF_ERROR(scanner_.expect(","));
    TENON_ASSIGN(ExprPointer operand, expression(depth + 1));
    TENON_RETURN_IF_ERROR(scanner_.expect(")"));
    return by_value ? cast(*type, operand) : bitcast(*type, operand);
  }

  Result<ExprPointer> operation(ExprOp op, int depth) {
    TENON_RETURN_IF_ERROR(scanner_.expect("("));
    TENON_ASSIGN(auto operands, list(")", depth));
    bool ternary = op == ExprOp::select || op == ExprOp::fused_multiply_add;
    if (operands.empty() || operands.size() > 3 || ternary != (operands.size() == 3)) {
      return scanner_.error(std::string(to_string(op)) + " takes another number of operands");
    }
    Expr node;
    node.op = op;
    return with_operands(node, operands);
  }

  // "s0", "s0.1(i2)", "state.1", "next"
  Result<ExprPointer> use(std::string_view word, int depth) {
    int slot = 0;
    std::string_view name = word;
    if (size_t point = word.find('.'); point != std::string_view::npos) {
      name = word.substr(0, point);
      std::string_view digits = word.substr(point + 1);
      auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), slot);
      if (error != std::errc() || end != digits.data() + digits.size()) slot = -1;
    }
    std::string unknown = "\"" + std::string(word) + "\" is not defined";
    if (name == "state" || name == "next") {
      bool known = state_ && slot >= 0 && slot < static_cast<int>(state_->identities.size());
      if (!known) return scanner_.error(unknown);
      return stage_value(name == "state" ? -1 : -2, slot, state_->identities[slot]->type);
    }
    int stage = -1;
    std::string_view digits = name.substr(1);
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), stage);
    bool known = name[0] == 's' && error == std::errc() && end == digits.data() + digits.size() &&
                 stage >= 0 && stage < static_cast<int>(kernel_.stages.size());
    if (!known || slot < 0 || slot >= kernel_.stages[stage].slot_count()) {
      return scanner_.error(unknown);
    }
    const Stage& source = kernel_.stages[stage];
    DataType type = source.reduction ? source.reduction->type(slot) : source.values[slot]->type;
    std::vector<ExprPointer> indices;
    if (scanner_.accept("(")) {
      TENON_ASSIGN(indices, list(")", depth));
    }
    return stage_value(stage, slot, type, indices);
  }

  ir::Scanner scanner_;
  Kernel kernel_;
  std::map<std::string, int> axes_;
  std::map<std::string, ExprPointer> shared_;
  const Reduction* state_ = nullptr;
};

}  // namespace

Result<Kernel> parse_kernel(std::string_view text) {
  try {
    return Parser(text).run();
  } catch (const std::exception& problem) {
    return Status(ErrorCode::bad_argument, std::string("kernel: ") + problem.what());
  }
}

}  // namespace tenon::loop
