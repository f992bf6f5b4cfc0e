// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/type.h"

#include "builder/ir/checked.h"
#include "builder/ir/type_scanner.h"

#include <algorithm>
#include <utility>

namespace tenon::ir {

Dim element_count(const Shape& shape) {
  Dim count = 1;
  for (const Dim& dim : shape) count = count * dim;
  return count;
}

bool is_static(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.is_constant(); });
}

std::vector<int64_t> static_dims(const Shape& shape) {
  std::vector<int64_t> dims;
  for (const Dim& dim : shape) dims.push_back(dim.constant());
  return dims;
}

Shape to_shape(const std::vector<int64_t>& dims) { return Shape(dims.begin(), dims.end()); }

Status check_rank(size_t rank) {
  if (rank <= static_cast<size_t>(kMaximumRank)) return {};
  return Status(ErrorCode::unsupported, "not supported yet: tensors of rank " + std::to_string(rank) +
                                            "; at most " + std::to_string(kMaximumRank));
}

Status check_size(const TensorType& type, const SymbolRanges& ranges) {
  TENON_RETURN_IF_ERROR(check_rank(type.shape.size()));
  int64_t count = 1;
  for (const Dim& dim : type.shape) {
    const auto range = bounds(dim, ranges);
    // Without a bound above, only the run tells.
    const int64_t size = range ? std::max<int64_t>(range->maximum, 0) : 1;
    if (size == 0) return {};
    count = saturating_multiply(count, size);
  }
  if (count <= kMaximumElements) return {};
  return Status(ErrorCode::invalid_model,
                to_string(type) + " has more elements than an address space");
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? "," : "") + shape[i].to_string();
  return text + "]";
}

std::string to_string(const TensorType& type) {
  std::string text = std::string(tenon::to_string(type.type)) + to_string(type.shape);
  if (!type.layout.natural()) text += ":" + to_string(type.layout, type.rank());
  return text;
}

Result<TensorType> parse_type(Scanner& scanner) {
  TensorType type;
  scanner.peek();
  const size_t start = scanner.position();
  TENON_ASSIGN(const std::string name, scanner.name("an element type"));
  const std::optional<DataType> element = data_type_from_string(name);
  if (!element) {
    scanner.set_position(start);
    return scanner.expected("an element type such as f32 or i64");
  }
  type.type = *element;
  TENON_ASSIGN(type.shape, parse_dims(scanner));
  TENON_RETURN_IF_ERROR(check_rank(type.shape.size()));
  if (scanner.accept(":")) {
    TENON_ASSIGN(type.layout, parse_layout(scanner, type.rank()));
  }
  return type;
}

Result<TensorType> parse_type(std::string_view text) {
  Scanner scanner(text);
  TENON_ASSIGN(TensorType type, parse_type(scanner));
  TENON_RETURN_IF_ERROR(scanner.expect_end());
  return type;
}

}  // namespace tenon::ir
