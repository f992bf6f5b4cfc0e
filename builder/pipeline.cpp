// SPDX-License-Identifier: Apache-2.0
#include "builder/pipeline.h"

#include "builder/passes/canonicalize.h"
#include "builder/passes/choose_layouts.h"
#include "builder/passes/decompose_batch_norm.h"
#include "builder/passes/fold_constants.h"
#include "builder/passes/fold_contraction_bias.h"
#include "builder/passes/fold_contraction_scale.h"
#include "builder/passes/fuse_epilogues.h"
#include "builder/passes/fuse_groups.h"
#include "builder/passes/materialize_padding.h"
#include "builder/passes/merge_common_subexpressions.h"

namespace tenon {

Pipeline make_pipeline() {
  return {
      {"simplify", "canonicalize", passes::canonicalize},
      {"simplify", "fold_constants", passes::fold_constants},
      {"simplify", "merge_common_subexpressions", passes::merge_common_subexpressions},

      // Batch norms become a scale and a shift, so that one rule folds both them and hand-made ones.
      {"rewrite", "decompose_batch_norm", passes::decompose_batch_norm},
      {"rewrite", "fold_contraction_scale", passes::fold_contraction_scale},
      {"rewrite", "fold_contraction_bias", passes::fold_contraction_bias},
      {"rewrite", "materialize_padding", passes::materialize_padding},

      // Before layouts: a layout is chosen per group.
      {"fuse", "fuse_epilogues", passes::fuse_epilogues},
      {"fuse", "fuse_groups", passes::fuse_groups},

      // Last, on final groups: everything before is about meaning and leaves layouts natural.
      {"layout", "choose_layouts", passes::choose_layouts},
  };
}

}  // namespace tenon
