// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/scanner.h"

#include <charconv>

namespace tenon::ir {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  for (char c : text) {
    if (!is_word(c)) return false;
  }
  return true;
}

std::string quote(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string quote_unless_identifier(std::string_view text) {
  return is_identifier(text) ? std::string(text) : quote(text);
}

void Scanner::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++position_;
    } else if (text_.substr(position_, 2) == "//") {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else {
      return;
    }
  }
}

bool Scanner::at_end() {
  skip_space();
  return position_ == text_.size();
}

char Scanner::peek() { return at_end() ? '\0' : text_[position_]; }

bool Scanner::accept(std::string_view token) {
  skip_space();
  if (text_.substr(position_, token.size()) != token) return false;
  const size_t end = position_ + token.size();
  if (is_word(token.back()) && end < text_.size() && is_word(text_[end])) return false;
  position_ = end;
  return true;
}

Status Scanner::expect(std::string_view token) {
  return accept(token) ? Status() : expected("'" + std::string(token) + "'");
}

Status Scanner::expect_end() { return at_end() ? Status() : expected("the end of the text"); }

bool Scanner::at_name() {
  const char c = peek();
  return is_letter(c) || c == '"';
}

Result<std::string> Scanner::name(std::string_view what) {
  if (peek() == '"') return quoted();
  if (!is_letter(peek())) return expected(what);
  const size_t begin = position_;
  while (position_ < text_.size() && is_word(text_[position_])) ++position_;
  return std::string(text_.substr(begin, position_ - begin));
}

Result<std::string> Scanner::quoted() {
  if (peek() != '"') return expected("a quoted string");
  const size_t begin = position_;
  std::string result;
  for (size_t i = begin + 1; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '"') {
      position_ = i + 1;
      return result;
    }
    if (c == '\n') break;
    if (c != '\\') {
      result += c;
      continue;
    }
    const char escaped = ++i < text_.size() ? text_[i] : '\0';
    if (escaped == '"' || escaped == '\\') {
      result += escaped;
    } else if (escaped == 'x' && i + 2 < text_.size() && hex_digit(text_[i + 1]) >= 0 &&
               hex_digit(text_[i + 2]) >= 0) {
      result += static_cast<char>(hex_digit(text_[i + 1]) * 16 + hex_digit(text_[i + 2]));
      i += 2;
    } else {
      position_ = i - 1;
      return error("unknown escape; write \\\", \\\\ or \\x and two hexadecimal digits");
    }
  }
  return error("this string has no closing quote on its line");
}

Result<int64_t> Scanner::integer(std::string_view what) {
  skip_space();
  int64_t value = 0;
  const char* begin = text_.data() + position_;
  const auto [end, problem] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (problem == std::errc::result_out_of_range) {
    return error("this number does not fit 64 bits");
  }
  if (problem != std::errc()) return expected(what);
  position_ += static_cast<size_t>(end - begin);
  return value;
}

std::string_view Scanner::number_token() {
  skip_space();
  const size_t begin = position_;
  while (position_ < text_.size() &&
         (is_word(text_[position_]) || text_[position_] == '-' || text_[position_] == '+')) {
    ++position_;
  }
  return text_.substr(begin, position_ - begin);
}

Status Scanner::expected(std::string_view what) {
  std::string found = "the end of the text";
  if (!at_end()) {
    size_t end = position_ + 1;
    while (is_word(text_[position_]) && end < text_.size() && end - position_ < 20 &&
           is_word(text_[end])) {
      ++end;
    }
    found = quote(text_.substr(position_, end - position_));
  }
  return error("expected " + std::string(what) + ", found " + found);
}

Status Scanner::error(const std::string& message) {
  skip_space();
  int64_t line = 1, column = 1;
  for (size_t i = 0; i < position_ && i < text_.size(); ++i) {
    ++column;
    if (text_[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  return Status(ErrorCode::invalid_model, "line " + std::to_string(line) + ", column " +
                                              std::to_string(column) + ": " + message);
}

}  // namespace tenon::ir
