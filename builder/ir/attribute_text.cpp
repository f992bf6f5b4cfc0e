// SPDX-License-Identifier: Apache-2.0
#include "builder/ir/attribute_text.h"

#include "builder/ir/constant.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tenon::ir {
namespace {

/// Beyond this a constant without its bytes is refused instead of filled with zeros.
constexpr int64_t kMaximumZeroBytes = int64_t{1} << 31;

std::string value_to_string(int64_t value) { return std::to_string(value); }

std::string value_to_string(double value) {
  if (std::isnan(value)) return "nan";
  char buffer[64];
  const auto [end, problem] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, end);
  // A point keeps an integral double apart from an integer.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string value_to_string(const std::string& value) { return quote(value); }

template <typename T>
std::string list_to_string(const std::vector<T>& list, std::string_view name_when_empty) {
  if (list.empty()) return std::string(name_when_empty) + "[]";
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) text += (i > 0 ? "," : "") + value_to_string(list[i]);
  return text + "]";
}

std::string attribute_to_string(const AttributeValue& attribute, ConstantFile* constants) {
  if (const auto* value = std::get_if<int64_t>(&attribute)) return value_to_string(*value);
  if (const auto* value = std::get_if<double>(&attribute)) return value_to_string(*value);
  if (const auto* value = std::get_if<std::string>(&attribute)) return value_to_string(*value);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute)) {
    return list_to_string(*list, "");
  }
  if (const auto* list = std::get_if<std::vector<double>>(&attribute)) {
    return list_to_string(*list, "doubles");
  }
  if (const auto* list = std::get_if<std::vector<std::string>>(&attribute)) {
    return list_to_string(*list, "strings");
  }
  const auto& data = std::get<TensorData>(attribute);
  return to_string(TensorType{data.type, to_shape(data.dims), {}}) + " " +
         payload_to_string(data, element_count(data.dims), constants);
}

Result<TensorData> parse_elements(Scanner& scanner, DataType type, std::vector<int64_t> dims,
                                  int64_t count) {
  std::vector<std::byte> bytes;
  int64_t index = 0;
  TENON_RETURN_IF_ERROR(scanner.expect("["));
  while (index == 0 ? scanner.peek() != ']' : scanner.accept(",")) {
    scanner.peek();
    const size_t start = scanner.position();
    const std::optional<uint64_t> bits = parse_element(type, scanner.number_token());
    if (!bits) {
      scanner.set_position(start);
      return scanner.expected("a number of type " + std::string(tenon::to_string(type)));
    }
    if (index == count) {
      scanner.set_position(start);
      return scanner.error("the type has only " + std::to_string(count) + " elements");
    }
    bytes.resize(byte_size(type, index + 1));
    set_element_bits(bytes, type, index, *bits);
    ++index;
  }
  if (index < count) {
    return scanner.error("the type has " + std::to_string(count) + " elements, here are " +
                         std::to_string(index));
  }
  TENON_RETURN_IF_ERROR(scanner.expect("]"));
  return make_tensor(type, std::move(dims), std::move(bytes));
}

Result<TensorData> zeros(Scanner& scanner, DataType type, std::vector<int64_t> dims,
                         int64_t byte_count) {
  const size_t size = std::max<int64_t>(byte_count, 1);
  std::shared_ptr<void> owner;
  if (byte_count <= kMaximumZeroBytes) owner = {std::calloc(size, 1), std::free};
  if (!owner) {
    return scanner.error("there is no memory for a constant of " + std::to_string(byte_count) +
                         " bytes whose content is not at hand");
  }
  TensorData data;
  data.type = type;
  data.dims = std::move(dims);
  data.bytes = {static_cast<const std::byte*>(owner.get()), static_cast<size_t>(byte_count)};
  data.owner = std::move(owner);
  return data;
}

bool is_integer_token(std::string_view token) {
  return token.find_first_not_of("-0123456789") == std::string_view::npos;
}

template <typename T>
std::optional<T> parse_number(std::string_view token) {
  T value{};
  const auto [end, problem] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (problem != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

/// Numbers of a list, as integers unless one of them is none.
Result<AttributeValue> parse_numbers(Scanner& scanner, bool is_list) {
  std::vector<int64_t> integers;
  std::vector<double> doubles;
  bool all_integers = true;
  do {
    scanner.peek();
    const size_t start = scanner.position();
    const std::string_view token = scanner.number_token();
    const std::optional<double> value = parse_number<double>(token);
    const std::optional<int64_t> integer =
        is_integer_token(token) ? parse_number<int64_t>(token) : std::nullopt;
    if (!value || (is_integer_token(token) && !integer)) {
      scanner.set_position(start);
      return scanner.expected("the value of an attribute: a number, a string, a list or a tensor");
    }
    all_integers = all_integers && integer;
    doubles.push_back(*value);
    integers.push_back(integer.value_or(0));
  } while (is_list && scanner.accept(","));
  if (!is_list && all_integers) return AttributeValue(integers[0]);
  if (!is_list) return AttributeValue(doubles[0]);
  TENON_RETURN_IF_ERROR(scanner.expect("]"));
  if (all_integers) return AttributeValue(std::move(integers));
  return AttributeValue(std::move(doubles));
}

Result<AttributeValue> parse_list(Scanner& scanner) {
  if (scanner.accept("]")) return AttributeValue(std::vector<int64_t>());
  if (scanner.peek() != '"') return parse_numbers(scanner, true);
  std::vector<std::string> strings;
  do {
    TENON_ASSIGN(std::string text, scanner.quoted());
    strings.push_back(std::move(text));
  } while (scanner.accept(","));
  TENON_RETURN_IF_ERROR(scanner.expect("]"));
  return AttributeValue(std::move(strings));
}

Result<AttributeValue> parse_tensor(Scanner& scanner, DataType type,
                                    const ConstantFile* constants) {
  std::vector<int64_t> dims;
  TENON_RETURN_IF_ERROR(scanner.expect("["));
  if (!scanner.accept("]")) {
    do {
      TENON_ASSIGN(const int64_t dim, scanner.integer("a constant dim"));
      dims.push_back(dim);
    } while (scanner.accept(","));
    TENON_RETURN_IF_ERROR(scanner.expect("]"));
  }
  const std::optional<int64_t> count = element_count(dims);
  TENON_ASSIGN(TensorData data, parse_payload(scanner, type, std::move(dims), count, constants));
  return AttributeValue(std::move(data));
}

Result<AttributeValue> parse_attribute(Scanner& scanner, const ConstantFile* constants) {
  if (scanner.peek() == '"') {
    TENON_ASSIGN(std::string text, scanner.quoted());
    return AttributeValue(std::move(text));
  }
  if (scanner.accept("[")) return parse_list(scanner);
  const size_t start = scanner.position();
  const std::string_view word = scanner.number_token();
  if (word == "doubles" || word == "strings") {
    TENON_RETURN_IF_ERROR(scanner.expect("["));
    TENON_RETURN_IF_ERROR(scanner.expect("]"));
    if (word == "doubles") return AttributeValue(std::vector<double>());
    return AttributeValue(std::vector<std::string>());
  }
  if (const std::optional<DataType> type = data_type_from_string(word)) {
    return parse_tensor(scanner, *type, constants);
  }
  scanner.set_position(start);
  return parse_numbers(scanner, false);
}

}  // namespace

std::string payload_to_string(const TensorData& data, std::optional<int64_t> elements,
                              ConstantFile* constants) {
  const size_t size = data.bytes.size();
  const bool is_whole = elements && *elements <= static_cast<int64_t>(size) * 8 &&
                        byte_size(data.type, *elements) == static_cast<int64_t>(size);
  if (size > kInlineBytes || !is_whole) {
    std::string hash = content_hash(data);
    if (constants) constants->emplace(hash, data);
    return "#" + hash;
  }
  std::string text = "[";
  for (int64_t i = 0; i < *elements; ++i) {
    text += (i > 0 ? "," : "") + element_to_string(data.type, element_bits(data, i));
  }
  return text + "]";
}

Result<TensorData> parse_payload(Scanner& scanner, DataType type, std::vector<int64_t> dims,
                                 std::optional<int64_t> elements, const ConstantFile* constants) {
  constexpr int64_t kMaximumElements = int64_t{1} << 48;
  if (!elements || *elements < 0 || *elements > kMaximumElements) {
    return scanner.error("a constant needs dims that are not negative and below 2^48 elements");
  }
  scanner.peek();
  const size_t start = scanner.position();
  if (!scanner.accept("#")) return parse_elements(scanner, type, std::move(dims), *elements);
  const std::string hash(scanner.number_token());
  if (hash.size() != 32 || hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
    scanner.set_position(start);
    return scanner.error("a content hash has 32 hexadecimal digits");
  }
  const int64_t byte_count = byte_size(type, *elements);
  if (!constants) return zeros(scanner, type, std::move(dims), byte_count);
  const auto found = constants->find(hash);
  scanner.set_position(start);
  if (found == constants->end()) {
    return scanner.error("the file of constants has no #" + hash);
  }
  TensorData data = found->second;
  if (static_cast<int64_t>(data.bytes.size()) != byte_count) {
    return scanner.error("the constant #" + hash + " has " + std::to_string(data.bytes.size()) +
                         " bytes, its type needs " + std::to_string(byte_count));
  }
  (void)scanner.accept("#");
  (void)scanner.number_token();
  data.type = type;
  data.dims = std::move(dims);
  return data;
}

std::string attributes_to_string(const Attributes& attributes, ConstantFile* constants) {
  std::string text = "{";
  for (const auto& [name, value] : attributes) {
    if (text.size() > 1) text += ", ";
    text += quote_unless_identifier(name) + "=" + attribute_to_string(value, constants);
  }
  return text + "}";
}

Result<Attributes> parse_attributes(Scanner& scanner, const ConstantFile* constants) {
  Attributes attributes;
  TENON_RETURN_IF_ERROR(scanner.expect("{"));
  if (scanner.accept("}")) return attributes;
  do {
    TENON_ASSIGN(std::string name, scanner.name("the name of an attribute"));
    TENON_RETURN_IF_ERROR(scanner.expect("="));
    TENON_ASSIGN(AttributeValue value, parse_attribute(scanner, constants));
    if (!attributes.emplace(name, std::move(value)).second) {
      return scanner.error("the attribute " + quote(name) + " comes twice");
    }
  } while (scanner.accept(","));
  TENON_RETURN_IF_ERROR(scanner.expect("}"));
  return attributes;
}

}  // namespace tenon::ir
