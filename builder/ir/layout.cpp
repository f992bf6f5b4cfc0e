// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/layout.h"

#include "builder/ir/checked.h"
#include "builder/ir/type_scanner.h"

#include <string>
#include <utility>

namespace tenon::ir {
namespace {

std::string_view channels_last_name(int rank) {
  if (rank == 3) return "nwc";
  if (rank == 4) return "nhwc";
  return rank == 5 ? "ndhwc" : "";
}

/// Axes in memory order, outermost first.
std::vector<int> memory_order(const Layout& layout, size_t rank) {
  if (!layout.permutation.empty()) return layout.permutation;
  std::vector<int> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int>(i);
  return order;
}

}  // namespace

Layout Layout::channels_last(int rank) {
  Layout layout;
  layout.permutation.push_back(0);
  for (int axis = 2; axis < rank; ++axis) layout.permutation.push_back(axis);
  layout.permutation.push_back(1);
  return layout;
}

std::string to_string(const Layout& layout, int rank) {
  std::string text;
  const std::string_view name = channels_last_name(rank);
  if (!name.empty() && layout.permutation == Layout::channels_last(rank).permutation) {
    text = name;
  } else if (!layout.permutation.empty()) {
    text = "perm(";
    for (size_t i = 0; i < layout.permutation.size(); ++i) {
      text += (i > 0 ? "," : "") + std::to_string(layout.permutation[i]);
    }
    text += ")";
  }
  if (layout.blocks.empty()) return text;
  text += text.empty() ? "block(" : "/block(";
  for (size_t i = 0; i < layout.blocks.size(); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(layout.blocks[i].axis) + ":" +
            std::to_string(layout.blocks[i].size);
  }
  return text + ")";
}

Result<Layout> parse_layout(Scanner& scanner, int rank) {
  Layout layout;
  const auto axis_number = [&]() -> Result<int> {
    TENON_ASSIGN(const int64_t axis, scanner.integer("the number of an axis"));
    if (axis < 0 || axis >= rank) {
      return scanner.error("axis " + std::to_string(axis) + " is not one of the " +
                           std::to_string(rank) + " axes");
    }
    return static_cast<int>(axis);
  };
  const std::string_view name = channels_last_name(rank);
  bool more = true;
  if (!name.empty() && scanner.accept(name)) {
    layout = Layout::channels_last(rank);
    more = scanner.accept("/");
  } else if (scanner.accept("perm")) {
    TENON_RETURN_IF_ERROR(scanner.expect("("));
    do {
      TENON_ASSIGN(const int axis, axis_number());
      layout.permutation.push_back(axis);
    } while (scanner.accept(","));
    TENON_RETURN_IF_ERROR(scanner.expect(")"));
    more = scanner.accept("/");
  }
  if (more) {
    if (!scanner.accept("block")) {
      return scanner.expected("a layout of " + std::to_string(rank) +
                              " axes: nwc, nhwc, ndhwc, perm(...) or block(...)");
    }
    TENON_RETURN_IF_ERROR(scanner.expect("("));
    do {
      TENON_ASSIGN(const int axis, axis_number());
      TENON_RETURN_IF_ERROR(scanner.expect(":"));
      TENON_ASSIGN(const int64_t size, scanner.integer("the size of a block"));
      layout.blocks.push_back({axis, size});
    } while (scanner.accept(","));
    TENON_RETURN_IF_ERROR(scanner.expect(")"));
  }
  if (const Status status = verify_layout(layout, rank); !status.ok()) {
    return scanner.error(status.message());
  }
  return layout;
}

Result<Layout> parse_layout(std::string_view text, int rank) {
  Scanner scanner(text);
  if (scanner.at_end()) return Layout{};
  TENON_ASSIGN(Layout layout, parse_layout(scanner, rank));
  TENON_RETURN_IF_ERROR(scanner.expect_end());
  return layout;
}

Status verify_layout(const Layout& layout, int rank) {
  const auto invalid = [&](const std::string& problem) {
    return Status(ErrorCode::bad_argument, "the layout " + to_string(layout, rank) +
                                               " does not fit " + std::to_string(rank) +
                                               " axes: " + problem);
  };
  if (!layout.permutation.empty()) {
    if (static_cast<int>(layout.permutation.size()) != rank) {
      return invalid("it permutes " + std::to_string(layout.permutation.size()));
    }
    std::vector<bool> seen(layout.permutation.size(), false);
    for (int axis : layout.permutation) {
      if (axis < 0 || axis >= rank) return invalid("there is no axis " + std::to_string(axis));
      if (seen[axis]) return invalid("axis " + std::to_string(axis) + " comes twice");
      seen[axis] = true;
    }
  }
  int64_t product = 1;
  for (const Layout::Block& block : layout.blocks) {
    if (block.axis < 0 || block.axis >= rank) {
      return invalid("there is no axis " + std::to_string(block.axis) + " to block");
    }
    if (block.size <= 1) return invalid("a block has more than one element");
    product = saturating_multiply(product, block.size);
    if (product > int64_t{1} << 30) return invalid("its blocks are too large");
  }
  return Status();
}

std::vector<Dim> physical_dims(const Layout& layout, const std::vector<Dim>& shape) {
  std::vector<Dim> outer = shape;
  std::vector<Dim> dims;
  for (const Layout::Block& block : layout.blocks) {
    outer[block.axis] = Dim::ceil_div(outer[block.axis], block.size);
  }
  for (int axis : memory_order(layout, shape.size())) dims.push_back(outer[axis]);
  for (const Layout::Block& block : layout.blocks) dims.push_back(block.size);
  return dims;
}

Dim physical_elements(const Layout& layout, const std::vector<Dim>& shape) {
  Dim count = 1;
  for (const Dim& dim : physical_dims(layout, shape)) count = count * dim;
  return count;
}

std::vector<Dim> strides(const Layout& layout, const std::vector<Dim>& shape) {
  const std::vector<int> order = memory_order(layout, shape.size());
  std::vector<Dim> result(shape.size());
  Dim stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    result[order[i]] = stride;
    stride = stride * shape[order[i]];
  }
  return result;
}

}  // namespace tenon::ir
