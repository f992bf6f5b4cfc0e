// SPDX-License-Identifier: Apache-2.0
// Ways to lay out arenas that find kernels which touch what is not theirs. For tests.
#pragma once

namespace tenon::runtime {

enum class ArenaMode : unsigned char {
  normal,
  guard,   ///< each buffer ends at a page that cannot be touched; canaries fill the slack around it
  poison,  ///< as planned, but memory that holds nothing is filled with bytes that read as NaN
};

/// For contexts created from now on, in the whole process.
void set_arena_mode_for_tests(ArenaMode mode);
ArenaMode arena_mode();

}  // namespace tenon::runtime
