// SPDX-License-Identifier: Apache-2.0
// State shared by the parts of the general family.
#pragma once

#include "builder/codegen/cpu/expression_emitter.h"

#include <functional>
#include <vector>

namespace tenon::codegen {

class GeneralEmitter {
 public:
  explicit GeneralEmitter(EmitContext& context);
  void emit();

 private:
  using Values = std::vector<llvm::Value*>;
  using LaneBody = std::function<void(llvm::Value* at, int lanes, llvm::Value* mask)>;

  /// Where a stage keeps its slots for later stages.
  struct Kept {
    bool tile = false;  ///< in scratch, else in `registers`
    Values registers;
    std::vector<ir::Dim> offsets;  ///< bytes from the scratch, by slot
    std::vector<int> lanes;        ///< of one element of the tile, by slot
  };

  // general.cpp: the grid.
  void plan_grid();
  void plan_scratch();
  void emit_item(llvm::Value* item);
  void emit_axes(const std::vector<int>& order, size_t position, Point point);
  /// Runs body at 0, lanes, 2*lanes ... of `span` points, and then for the rest: once with a mask,
  /// or point by point where the target cannot mask elements this small. With `pieces` fewer lanes
  /// take what they can of the rest, and only the last of them need a mask.
  void lane_loop(llvm::Value* begin, llvm::Value* span, bool pieces, const LaneBody& body);
  int64_t tile_of(int axis) const;

  // general_stages.cpp: one point of the grid.
  void emit_stages(const Point& point);
  void emit_stage(int number, const Point& point);
  void emit_inner(int number, size_t position, const Point& point);
  void keep(int number, ExpressionEmitter& emitter, const Values& values);
  int lane_axis(const loop::Stage& stage);
  StageSource stage_source();
  llvm::Value* kept_value(const loop::Expr& node, ExpressionEmitter& emitter);
  loop::ExprPointer tile_offset(int stage, const std::vector<loop::ExprPointer>& position) const;
  llvm::Value* tile_address(int stage, int slot, const loop::ExprPointer& offset,
                            ExpressionEmitter& emitter);
  MemoryReference tile_reference(int stage, int slot, loop::ExprPointer offset);

  // general_reduction.cpp
  struct Accumulators {
    std::vector<llvm::AllocaInst*> slots;
  };
  Values reduce(const loop::Stage& stage, const Point& point, int axis);
  Accumulators accumulators(const loop::Reduction& reduction, int lanes,
                            ExpressionEmitter& emitter);
  Values load(const Accumulators& state);
  void accumulate(const loop::Reduction& reduction, const Accumulators& state, const Point& point,
                  bool mask_lanes);
  Values join(const loop::Reduction& reduction, const Point& point, const Values& state,
              const Values& next);
  llvm::Value* across_lanes(const loop::Reduction& reduction, int slot, llvm::Value* vector);
  void reduction_loops(const loop::Reduction& reduction, size_t position, int skip, bool unroll,
                       const Point& point, const std::function<void(const Point&)>& body);

  EmitContext& context_;
  const loop::Kernel& kernel_;
  llvm::IRBuilder<>& builder_;
  int lanes_ = 1;
  bool grid_lanes_ = false;      ///< lanes run along a grid axis
  bool scalar_rest_ = false;     ///< see lane_loop
  std::vector<ir::Dim> counts_;  ///< tiles along each grid axis
  std::vector<Kept> kept_;
  std::vector<int> lane_axes_;  ///< by stage, when lanes do not run along the grid
};

}  // namespace tenon::codegen
