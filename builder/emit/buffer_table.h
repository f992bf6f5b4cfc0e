// SPDX-License-Identifier: Apache-2.0
// The buffers of a plan: bindings, weights and the planned arena.
#pragma once

#include "builder/emit/dim_program.h"
#include "builder/emit/step.h"
#include "builder/ir/graph.h"
#include "runtime/plan/meta_generated.h"
#include "runtime/plan/writer.h"

#include <tenon/status.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tenon::emit {

class BufferTable {
 public:
  BufferTable(const ir::Graph& graph, DimProgram& dims, plan::ProgramT& program);

  /// Numbers the bindings, then every weight and arena buffer that the steps use.
  Status build(const StepList& steps);
  /// The number of argument `index` of a step.
  uint32_t number(const Step& step, size_t index) const;
  /// The number of the memory of a result that is copied at the end.
  uint32_t storage_number(const ir::Value* value) const;

  const std::vector<plan::WeightPart>& weights() const { return weights_; }
  int64_t weight_bytes() const { return weight_bytes_; }

 private:
  uint32_t add(plan::BufferKind kind, const ir::TensorType& type);
  Status add_bindings();
  Result<uint32_t> add_weight(const TensorData& data, const ir::TensorType& type);
  void add_arena(const StepList& steps);

  const ir::Graph& graph_;
  DimProgram& dims_;
  plan::ProgramT& program_;
  std::map<const ir::Value*, uint32_t> storages_;   // all but weights
  std::map<std::string, uint32_t> weight_numbers_;  // by content and type
  std::map<const TensorData*, std::string> hashes_;
  std::map<std::pair<const ir::Value*, std::string>, uint32_t> weight_arguments_;
  std::vector<plan::WeightPart> weights_;
  int64_t weight_bytes_ = 0;
};

}  // namespace tenon::emit
