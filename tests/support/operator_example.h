// SPDX-License-Identifier: Apache-2.0
// One operator on small operands, from the texts that stand in the operators' files.
#pragma once

#include "builder/ops/op.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace tenon::test {

/// The operands' values and the graph of one node. Operands are graph inputs, or constants where
/// the text gives their elements.
struct OperatorExample {
  ir::Graph graph{"example"};
  ir::Node* node = nullptr;
  std::map<std::string, int64_t> symbols;
  std::vector<ops::ReferenceTensor>
      operands;  ///< one for each input of the node; unused where left out
  std::vector<ops::ReferenceTensor> results;  ///< with type and dims, to be filled

  /// Fills `results` by the reference.
  Status run_reference();
};

/// "f32[2,3] _ f32[2]=[1,2] {axis=1}": operands, `_` for one left out, attributes. Symbols that `sizes`
/// lacks get small sizes; elements not given are random by `seed`.
Result<OperatorExample> make_example(const std::string& op, const std::string& text,
                                     uint64_t seed = 1,
                                     const std::map<std::string, int64_t>& sizes = {});

/// Elements that one result joins, at most: what the tolerance of sums grows with.
double joined_elements(const OperatorExample& example);

/// Every elementwise operator that needs no attribute.
std::vector<const ops::OpDefinition*> elementwise_operators();
/// Operands of an elementwise operator, at `type`, whose shapes broadcast to a random one of at most three
/// dims, each from `sizes`.
std::string random_operands(const ops::OpDefinition& definition, DataType type,
                            const std::vector<int64_t>& sizes, std::mt19937_64& random);

/// Random elements of a type: floats in [-2,2), integers in [-5,5] or [0,9].
ops::ReferenceTensor random_tensor(DataType type, const std::vector<int64_t>& dims, uint64_t seed);

/// The tolerance of an operator's results at a type: the operator's own, or the default of the
/// type, wider with the number of elements that a result joins.
ops::Tolerance tolerance_of(const ops::OpDefinition& definition, DataType type, double joined = 1);

/// Empty when equal within the tolerance, NaN for NaN; else what differs first.
std::string difference(const ops::ReferenceTensor& actual, const ops::ReferenceTensor& expected,
                       ops::Tolerance tolerance);

}  // namespace tenon::test
