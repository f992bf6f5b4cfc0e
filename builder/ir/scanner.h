// SPDX-License-Identifier: Apache-2.0
// Reads the text forms token by token; errors carry line and column.
#pragma once

#include "builder/ir/dim.h"

#include <tenon/status.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::ir {

/// Skips space and `//` comments before each token.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end();
  /// The next character that is no space; '\0' at the end.
  char peek();
  /// Takes `token` when it comes next. A word is taken only whole.
  bool accept(std::string_view token);
  Status expect(std::string_view token);
  /// Succeeds only at the end of the text.
  Status expect_end();

  /// An identifier, or a quoted string with escapes.
  Result<std::string> name(std::string_view what);
  /// The next token is an identifier or a quoted string.
  bool at_name();
  Result<std::string> quoted();
  Result<int64_t> integer(std::string_view what);
  /// Letters, digits, signs and points in a row: a number in any form. May be empty.
  std::string_view number_token();

  /// "line 3, column 5: expected X, found Y".
  Status expected(std::string_view what);
  /// "line 3, column 5: message", for the place of the next token.
  Status error(const std::string& message);

  size_t position() const { return position_; }
  void set_position(size_t position) { position_ = position; }

 private:
  void skip_space();
  std::string_view text_;
  size_t position_ = 0;
};

/// A letter or underscore, then letters, digits, underscores and points.
bool is_identifier(std::string_view text);
/// In quotes, with quotes, backslashes and control bytes escaped.
std::string quote(std::string_view text);
/// As it is when an identifier, else quoted.
std::string quote_unless_identifier(std::string_view text);

/// Expressions, parentheses and regions nest at most this deep.
inline constexpr int kMaximumNesting = 100;

Result<Dim> parse_dim(Scanner& scanner);
/// "[N,3,8]"
Result<std::vector<Dim>> parse_dims(Scanner& scanner);

}  // namespace tenon::ir
