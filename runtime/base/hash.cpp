// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenon {

struct Checksum64::State {
  XXH3_state_t xxh3;
};

uint64_t checksum64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

ContentHash content_hash(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

Checksum64::Checksum64() : state_(std::make_unique<State>()) {
  XXH3_INITSTATE(&state_->xxh3);
  XXH3_64bits_reset(&state_->xxh3);
}

Checksum64::~Checksum64() = default;

void Checksum64::update(std::span<const std::byte> bytes) {
  if (!bytes.empty()) XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

uint64_t Checksum64::digest() const { return XXH3_64bits_digest(&state_->xxh3); }

}  // namespace tenon
