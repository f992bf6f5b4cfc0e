// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/status.h>

#include <exception>
#include <new>
#include <string>

namespace tenon::runtime {

/// Calls `function`, which returns a Status or Result, and turns what it throws into one.
template <typename Function>
auto without_exceptions(const Function& function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return Status(ErrorCode::out_of_memory, "there is not enough memory");
  } catch (const std::exception& error) {
    return Status(ErrorCode::internal, std::string("an exception was thrown: ") + error.what());
  } catch (...) {
    return Status(ErrorCode::internal, "an exception was thrown");
  }
}

}  // namespace tenon::runtime
