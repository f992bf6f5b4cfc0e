// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parser/flatten.h"
#include "parser/model_file.h"

#include <tenon/network.h>
#include <tenon/status.h>

namespace tenon::parser {

/// The attributes of a node. An error names the one that is wrong or that Tenon lacks.
Result<Attributes> read_attributes(ModelFile& file, const FlatNode& node);

/// The tensor of a Constant node, which gives it in one of several attributes.
Result<TensorData> read_constant_node(ModelFile& file, const FlatNode& node);

}  // namespace tenon::parser
