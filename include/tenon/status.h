// SPDX-License-Identifier: Apache-2.0
// Errors as values. No exception leaves a public function.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tenon {

enum class ErrorCode : uint8_t {
  ok = 0,
  invalid_model,   ///< the user's model is wrong
  unsupported,     ///< right, but Tenon cannot do it (yet); the message says "not supported yet: X"
  bad_argument,    ///< a wrong option, name, type or shape given by the caller
  io,              ///< a file cannot be read or written
  corrupt_plan,    ///< bytes that are no plan, or a damaged one
  incompatible,    ///< a sound plan that this machine or this version cannot run
  out_of_memory,
  cancelled,
  internal,        ///< a bug of Tenon; please report it
};

/// "invalid model", "unsupported", ... as printed before a message.
constexpr const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::ok: return "ok";
    case ErrorCode::invalid_model: return "invalid model";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::bad_argument: return "bad argument";
    case ErrorCode::io: return "i/o";
    case ErrorCode::corrupt_plan: return "corrupt plan";
    case ErrorCode::incompatible: return "incompatible plan";
    case ErrorCode::out_of_memory: return "out of memory";
    case ErrorCode::cancelled: return "cancelled";
    case ErrorCode::internal: return "internal error";
  }
  return "unknown";
}

/// Success, or a code with a sentence that names the node, tensor, dims and the remedy.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == ErrorCode::ok; }
  explicit operator bool() const { return ok(); }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  /// "code: message", or "ok".
  std::string to_string() const {
    return ok() ? std::string("ok") : std::string(tenon::to_string(code_)) + ": " + message_;
  }

  /// The same error with `context` and ": " in front of its message.
  Status with_context(const std::string& context) const {
    return ok() ? *this : Status(code_, context + ": " + message_);
  }

  /// For samples: ends the program with the message when this is an error.
  void value() const {
    if (ok()) return;
    std::fprintf(stderr, "error: %s\n", to_string().c_str());
    std::exit(1);
  }

 private:
  ErrorCode code_ = ErrorCode::ok;
  std::string message_;
};

/// A value, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}        // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (status_.ok()) status_ = Status(ErrorCode::internal, "a Result was made from an ok Status");
  }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }

  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

  /// For samples: the value; ends the program with the message when there is none.
  T value() && {
    if (!ok()) status_.value();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace tenon

/// Returns the error of a Status expression from the enclosing function.
#define TENON_RETURN_IF_ERROR(expression)                         \
  do {                                                            \
    if (::tenon::Status status_of_expression = (expression); !status_of_expression.ok()) \
      return status_of_expression;                                \
  } while (0)

#define TENON_CONCATENATE_INNER(a, b) a##b
#define TENON_CONCATENATE(a, b) TENON_CONCATENATE_INNER(a, b)
/// `TENON_ASSIGN(auto x, f());` declares x from a Result, or returns its error.
#define TENON_ASSIGN(declaration, expression) \
  TENON_ASSIGN_INNER(TENON_CONCATENATE(result_on_line_, __LINE__), declaration, expression)
#define TENON_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                               \
  if (!result.ok()) return result.status();                 \
  declaration = *std::move(result)
