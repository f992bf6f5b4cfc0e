// SPDX-License-Identifier: Apache-2.0
// Evaluates the expressions of one stage at one point after another.
#pragma once

#include "builder/loop/arithmetic.h"
#include "builder/loop/kernel.h"

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenon::loop {

/// A buffer with its dims and layout evaluated.
class BufferAccess {
 public:
  BufferAccess(DataType type, const std::vector<int64_t>& shape, const ir::Layout& layout,
               std::span<std::byte> bytes);
  /// Address of an element; null outside the shape.
  std::byte* at(std::span<const int64_t> indices) const;
  DataType type() const { return type_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  /// Bytes that the layout needs.
  int64_t byte_count() const { return byte_count_; }

 private:
  // index / divisor % modulus * stride is one summand of the offset.
  struct Part {
    int axis;
    int64_t divisor, modulus, stride;
  };
  DataType type_;
  std::vector<int64_t> shape_;
  std::vector<Part> parts_;
  std::span<std::byte> bytes_;
  int64_t byte_count_ = 0;
};

/// Values that a stage keeps for later ones: row-major over its inner axes.
struct KeptValues {
  std::vector<int64_t> extents;
  std::vector<std::vector<Scalar>> slots;
};

/// What expressions read at the current point.
struct PointState {
  std::vector<int64_t> axes;  ///< by axis number
  std::vector<BufferAccess> buffers;
  std::vector<KeptValues> kept;     ///< by stage number
  std::vector<Scalar> state, next;  ///< of the running custom reduction
  std::string error;                ///< the first access outside its shape
};

/// Expressions as a flat list of operations, each computed at most once a point, when it is wanted:
/// a select takes only its chosen side.
class Evaluator {
 public:
  Evaluator(PointState& point, const std::function<int64_t(const Dim&)>& value_of)
      : point_(point), value_of_(value_of) {}

  /// Adds an expression; gives its number. `fast`: axes that change from step to step, whereas what
  /// depends on none of them is kept until new_point.
  int add(const ExprPointer& root, const std::vector<int>& fast);
  void new_point() { ++slow_epoch_, ++fast_epoch_; }
  void new_step() { ++fast_epoch_; }
  Scalar evaluate(int number);

 private:
  struct Operation {
    ExprOp op = ExprOp::constant;
    DataType type = DataType::f32, operand_type = DataType::f32;
    bool fast = false;
    int id = 0, slot = 0;
    std::vector<int> operands;
    uint64_t epoch = 0;
    Scalar value;
  };
  Scalar compute(const Operation& operation);
  Scalar compute_load(const Operation& operation);
  Scalar compute_stage(const Operation& operation);

  PointState& point_;
  const std::function<int64_t(const Dim&)>& value_of_;
  std::vector<Operation> operations_;
  std::unordered_map<const Expr*, int> numbers_;
  uint64_t slow_epoch_ = 1, fast_epoch_ = 1;
};

}  // namespace tenon::loop
