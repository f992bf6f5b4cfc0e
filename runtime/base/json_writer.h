// SPDX-License-Identifier: Apache-2.0
// Writes indented JSON, keys in the order of the calls.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace tenon {

/// Calls nest as the document does: begin_object("key") ... end_object(). Keys are empty in arrays.
class JsonWriter {
 public:
  void begin_object(std::string_view key = {}) { open(key, '{'); }
  void end_object() { close('}'); }
  void begin_array(std::string_view key = {}) { open(key, '['); }
  void end_array() { close(']'); }

  void field(std::string_view key, std::string_view value) { prefix(key), quote(value); }
  void field(std::string_view key, const char* value) { field(key, std::string_view(value)); }
  void field(std::string_view key, bool value) { prefix(key), text_ += value ? "true" : "false"; }
  void field(std::string_view key, std::integral auto value) {
    prefix(key);
    text_ += std::to_string(value);
  }
  /// The shortest text that reads back as the same number; what JSON cannot say becomes null.
  void field(std::string_view key, double value) {
    prefix(key);
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_ += std::isfinite(value) ? std::string_view(digits, end - digits) : "null";
  }
  void value(const auto& item) { field({}, item); }

  /// The document, closed with a line end.
  std::string text() const { return text_ + "\n"; }

 private:
  void prefix(std::string_view key) {
    if (!first_) text_ += ',';
    if (depth_ > 0) text_ += '\n' + std::string(2 * depth_, ' ');
    first_ = false;
    if (!key.empty()) quote(key), text_ += ": ";
  }
  void open(std::string_view key, char bracket) {
    prefix(key);
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!first_) text_ += '\n' + std::string(2 * depth_, ' ');
    text_ += bracket;
    first_ = false;
  }
  void quote(std::string_view value) {
    text_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (c == '\n') {
        text_ += "\\n";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", c);
        text_ += escape;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }

  std::string text_;
  size_t depth_ = 0;
  bool first_ = true;
};

}  // namespace tenon
