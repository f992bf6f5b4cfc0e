// SPDX-License-Identifier: Apache-2.0
#include "builder/loop/schedule.h"

#include <charconv>
#include <optional>

namespace tenon::loop {
namespace {

Status malformed(std::string_view text, const std::string& why) {
  return Status(ErrorCode::bad_argument, "schedule \"" + std::string(text) + "\": " + why);
}

template <typename Integer>
bool read(std::string_view text, Integer& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// "i3x64" or "i3": an axis, and elements along it.
bool read_axis(std::string_view text, int& axis, int* elements) {
  if (text.empty() || text[0] != 'i') return false;
  text.remove_prefix(1);
  size_t cross = text.find('x');
  if (cross == std::string_view::npos || !elements) return read(text, axis);
  return read(text.substr(0, cross), axis) && read(text.substr(cross + 1), *elements);
}

bool read_tile(std::string_view text, std::vector<int64_t>& tile) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    size_t comma = text.find(',');
    int64_t value = 0;
    if (!read(text.substr(0, comma), value) || value < 0) return false;
    tile.push_back(value);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return true;
}

bool read_field(std::string_view field, Schedule& schedule) {
  size_t equals = field.find('=');
  if (equals == std::string_view::npos) {
    if (field == "packed") return schedule.packed = true;
    size_t cross = field.find('x');
    return cross != std::string_view::npos && read(field.substr(0, cross), schedule.rows) &&
           read(field.substr(cross + 1), schedule.vector_elements);
  }
  std::string_view name = field.substr(0, equals), value = field.substr(equals + 1);
  if (name == "v") return read_axis(value, schedule.vector_axis, &schedule.vector_elements);
  if (name == "rows") return read_axis(value, schedule.row_axis, nullptr);
  if (name == "unroll") return read(value, schedule.unroll);
  if (name == "tile") return read_tile(value, schedule.tile);
  return false;
}

}  // namespace

std::string to_string(const Schedule& schedule) {
  bool general = schedule.family == Family::general;
  std::string text = general ? "general" : "contraction";
  std::string elements = std::to_string(schedule.vector_elements);
  std::string rows = std::to_string(schedule.rows);
  bool plain_rows = general && schedule.rows == 1 && schedule.row_axis < 0;
  if (!plain_rows) text += " " + rows + "x" + elements;
  if (schedule.row_axis >= 0) text += " rows=i" + std::to_string(schedule.row_axis);
  if (schedule.vector_axis >= 0) {
    text += " v=i" + std::to_string(schedule.vector_axis);
    if (plain_rows) text += "x" + elements;
  } else if (plain_rows && schedule.vector_elements != 1) {
    text += " 1x" + elements;
  }
  if (!general || schedule.unroll != 1) text += " unroll=" + std::to_string(schedule.unroll);
  if (schedule.packed) text += " packed";
  if (!schedule.tile.empty()) {
    text += " tile=[";
    for (size_t i = 0; i < schedule.tile.size(); ++i) {
      text += (i ? "," : "") + std::to_string(schedule.tile[i]);
    }
    text += "]";
  }
  return text;
}

Result<Schedule> parse_schedule(std::string_view text) {
  Schedule schedule;
  std::string_view rest = text;
  bool first = true;
  while (!rest.empty()) {
    size_t space = rest.find(' ');
    std::string_view field = rest.substr(0, space);
    rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
    if (first) {
      if (field != "general" && field != "contraction") {
        return malformed(text, "the first word must be general or contraction");
      }
      schedule.family = field == "general" ? Family::general : Family::contraction;
      first = false;
    } else if (!field.empty() && !read_field(field, schedule)) {
      return malformed(text, "\"" + std::string(field) + "\" is no field of a schedule");
    }
  }
  if (first) return malformed(text, "it is empty");
  if (schedule.vector_elements < 1 || schedule.rows < 1 || schedule.unroll < 1) {
    return malformed(text, "numbers of elements, rows and steps must be positive");
  }
  return schedule;
}

}  // namespace tenon::loop
