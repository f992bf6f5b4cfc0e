// SPDX-License-Identifier: Apache-2.0
// XXH3: 64 bits to notice damage, 128 bits to tell contents apart. Not against an adversary.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tenon {

/// XXH3-64 of all bytes.
uint64_t checksum64(std::span<const std::byte> bytes);

struct ContentHash {
  uint64_t low = 0, high = 0;
  auto operator<=>(const ContentHash&) const = default;
};
/// XXH3-128 of all bytes.
ContentHash content_hash(std::span<const std::byte> bytes);

/// The same as checksum64 over bytes that arrive in pieces.
class Checksum64 {
 public:
  Checksum64();
  ~Checksum64();
  Checksum64(const Checksum64&) = delete;
  Checksum64& operator=(const Checksum64&) = delete;

  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenon
