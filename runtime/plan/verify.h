// SPDX-License-Identifier: Apache-2.0
// Checks once that a plan is sound, so that the runtime can trust it. Guards against damage, not
// against an adversary: a plan is executable code.
#pragma once

#include <tenon/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/plan/debug_generated.h"
#include "runtime/plan/meta_generated.h"

namespace tenon::plan {

/// Structure: the FlatBuffers of a section, then unpacked.
Result<std::unique_ptr<MetaT>> unpack_meta(std::span<const std::byte> section);
Result<std::unique_ptr<DebugT>> unpack_debug(std::span<const std::byte> section);

/// Meaning: every number, offset, size, name and dim that META refers to, against the sizes of the
/// CODE and WEIGHTS sections.
Status verify_meta(const MetaT& meta, uint64_t code_bytes, uint64_t weight_bytes);

/// That DEBUG describes this META.
Status verify_debug(const DebugT& debug, const MetaT& meta);

/// The arena's part of verify_meta: offsets at the profile's maximum, and that buffers which are
/// needed at the same step never overlap, at any shape. `bytes`: size of each buffer at the
/// maximum.
Status verify_arena(const ProgramT& program, std::span<const int64_t> bytes);

}  // namespace tenon::plan
